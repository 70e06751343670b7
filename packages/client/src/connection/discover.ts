import {
  ErrorCode,
  eraOf,
  MetaKey,
  RpcError,
  ToolwireError,
  type Implementation,
  type Revision,
  type ServerCapabilities,
} from "@toolwire/protocol";
import { isObject, type Caller } from "@toolwire/protocol/internal";
import { checkType, readResult } from "../calls/results.ts";
import { bestCommon, modernMeta, type Agreement, type Terms } from "./agreement.ts";
import { initialize } from "./negotiate.ts";

const METHOD = "server/discover";

/** How often a server may ask for another revision before it is not believed any more. */
const MAX_ATTEMPTS = 3;

/**
 * Asks a modern server what it is and speaks, in the best revision that it accepts. Rejects with whatever else comes back:
 * it is for the caller to judge whether that is the voice of a legacy server.
 */
export async function discover(caller: Caller, terms: Terms): Promise<Agreement> {
  let revision = terms.revisions.find((candidate) => eraOf(candidate) === "modern");
  let supported: readonly unknown[] = [];
  let refusal: unknown;
  for (let attempt = 1; revision !== undefined && attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      const answer = readDiscovery(await askInRevision(caller, terms, revision));
      supported = answer.supportedVersions;
      // A server that answers in a revision and lists none speaks that one.
      const agreed = supported.length === 0 ? revision : bestCommon(terms.revisions, supported, "modern");
      if (agreed !== undefined) return { ...answer, revision: agreed };
      revision = undefined;
    } catch (error) {
      const listed = supportedIn(error);
      if (listed === undefined) throw error;
      supported = listed;
      refusal = error;
      // Perhaps the very revision that was refused: some gateways say so before they know better.
      revision = bestCommon(terms.revisions, supported, "modern");
    }
    // A server may speak legacy revisions only, and still know how to answer or refuse modern questions.
    if (revision === undefined && bestCommon(terms.revisions, supported, "legacy") !== undefined) {
      return initialize(caller, terms);
    }
  }
  const { noCommonRevision } = await import("../parts/legacy.ts");
  throw noCommonRevision(terms.revisions, supported, refusal);
}

/** The revisions that an `UnsupportedProtocolVersionError` lists; `undefined` for any other error. */
function supportedIn(error: unknown): readonly unknown[] | undefined {
  if (!(error instanceof RpcError) || error.code !== ErrorCode.UnsupportedProtocolVersion) return undefined;
  const supported = isObject(error.data) ? error.data["supported"] : undefined;
  return Array.isArray(supported) ? (supported as unknown[]) : [];
}

/** Whether an error can only come of a modern server (versioning, "Backward Compatibility"). */
export function isModernError(error: unknown): boolean {
  return error instanceof ToolwireError && MODERN_ERRORS.has(error.code);
}

const MODERN_ERRORS: ReadonlySet<number | string> = new Set([
  ErrorCode.UnsupportedProtocolVersion,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.HeaderMismatch,
  "NO_COMMON_REVISION",
]);

function askInRevision(caller: Caller, terms: Terms, revision: Revision): Promise<object> {
  return caller.call(METHOD, { _meta: modernMeta(terms, revision) }, { signal: terms.signal, timeout: Infinity });
}

function readDiscovery(result: object): Omit<Agreement, "revision"> {
  checkType(METHOD, result);
  const { supportedVersions, capabilities, instructions, serverInfo, _meta } = readResult(METHOD, result) as {
    readonly [key: string]: unknown;
  };
  const info = isObject(_meta) ? _meta[MetaKey.ServerInfo] : undefined;
  // Some servers put their name where earlier drafts had it.
  const server = isObject(info) ? info : serverInfo;
  return {
    era: "modern",
    server: isObject(server) ? (server as unknown as Implementation) : undefined,
    capabilities: capabilities as ServerCapabilities,
    instructions: typeof instructions === "string" ? instructions : undefined,
    supportedVersions: supportedVersions as readonly string[],
  };
}
