import {
  type DiscoverResult,
  eraOf,
  type Implementation,
  type InitializeParams,
  isRevision,
  MetaKey,
  ProtocolViolation,
  type Revision,
  RpcError,
  type ServerCapabilities,
} from "@toolwire/protocol";
import { type Caller, initializeParamsRewrite, isObject } from "@toolwire/protocol/internal";
import { type Agreement, bestCommon, NoCommonRevision, type Terms } from "../eras/era.ts";
import { copyJson } from "../messages/json.ts";

/** The agreement of a handshake, to which the era is added. */
type Handshake = Omit<Agreement, "era">;

/** The description that a legacy server gave of itself in the handshake, in the form of `server/discover`. A copy. */
export function describeServer({ server, capabilities, instructions, supportedVersions }: Agreement): DiscoverResult {
  const description: DiscoverResult = {
    supportedVersions,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ...(server !== undefined && { _meta: { [MetaKey.ServerInfo]: server } }),
  };
  return copyJson(description);
}

/**
 * Opens a session by the handshake. `notifications/initialized` is not sent here but by the era's `confirm`, when the
 * listeners of the connection know the agreement: the server may send requests at once.
 */
export async function initialize(caller: Caller, terms: Terms): Promise<Handshake> {
  const offered = terms.revisions.find((revision) => eraOf(revision) === "legacy");
  if (offered === undefined) throw new NoCommonRevision(terms.revisions, []);
  try {
    return readAgreement(await propose(caller, terms, offered), terms);
  } catch (error) {
    // Servers should answer with a revision that they speak, but some refuse and list their revisions.
    const supported = error instanceof RpcError && isObject(error.data) ? error.data["supported"] : undefined;
    if (!Array.isArray(supported)) throw error;
    const revision = bestCommon(terms.revisions, supported, "legacy");
    if (revision === undefined || revision === offered) throw new NoCommonRevision(terms.revisions, supported, error);
    return readAgreement(await propose(caller, terms, revision), terms);
  }
}

function propose(caller: Caller, terms: Terms, protocolVersion: Revision): Promise<object> {
  const { info, signal } = terms;
  const capabilities = terms.capabilitiesIn(protocolVersion);
  const { roots } = capabilities;
  const params: InitializeParams = {
    protocolVersion,
    clientInfo: info,
    // Only legacy servers are told when the roots have changed.
    capabilities: roots === undefined ? capabilities : { ...capabilities, roots: { ...roots, listChanged: true } },
  };
  const rewrite = initializeParamsRewrite(protocolVersion);
  const sent = rewrite === undefined ? params : rewrite(params);
  return caller.call("initialize", sent, { signal, timeout: Infinity });
}

function readAgreement(result: object, terms: Terms): Handshake {
  const { protocolVersion, capabilities, serverInfo, instructions } = result as { readonly [key: string]: unknown };
  if (typeof protocolVersion !== "string") {
    throw new ProtocolViolation("INVALID_RESULT", "The answer to initialize must have a `protocolVersion`.");
  }
  // The server chooses; if the client does not speak that revision, it disconnects (2025-11-25, "Lifecycle").
  if (
    !isRevision(protocolVersion) ||
    eraOf(protocolVersion) !== "legacy" ||
    !terms.revisions.includes(protocolVersion)
  ) {
    throw new NoCommonRevision(terms.revisions, [protocolVersion]);
  }
  return {
    revision: protocolVersion,
    server: isObject(serverInfo) ? (serverInfo as unknown as Implementation) : undefined,
    capabilities: isObject(capabilities) ? (capabilities as ServerCapabilities) : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
    supportedVersions: [protocolVersion],
  };
}
