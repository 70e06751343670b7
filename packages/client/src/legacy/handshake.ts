import {
  eraOf,
  isRevision,
  ProtocolViolation,
  RpcError,
  type Implementation,
  type InitializeParams,
  type Revision,
  type ServerCapabilities,
} from "@toolwire/protocol";
import { isObject, type Caller, initializeParamsRewrite } from "@toolwire/protocol/internal";
import { bestCommon, type Agreement, type Terms } from "../negotiation/agreement.ts";
import { noCommonRevision } from "../negotiation/no-common-revision.ts";

/** The handshake of each negotiation: under way, or done. */
const handshakes = new WeakMap<Terms, Promise<Agreement>>();

/**
 * Opens a connection of the legacy era. A negotiation that is led to this both by the silence of its server and by its late
 * answer shakes hands once: another `initialize` would begin another session, which nobody knows of.
 */
export function initialize(caller: Caller, terms: Terms): Promise<Agreement> {
  const agreement = handshakes.get(terms) ?? shakeHands(caller, terms);
  handshakes.set(terms, agreement);
  // One that has failed may be tried again, also over another wire.
  agreement.catch(() => handshakes.delete(terms));
  return agreement;
}

/**
 * The handshake itself. `notifications/initialized` is still to be sent: by then, whoever listens to the
 * connection has to know what was agreed on, because the server may start to ask at once.
 */
async function shakeHands(caller: Caller, terms: Terms): Promise<Agreement> {
  const offered = terms.revisions.find((revision) => eraOf(revision) === "legacy");
  if (offered === undefined) throw noCommonRevision(terms.revisions, []);
  try {
    return readAgreement(await propose(caller, terms, offered), terms);
  } catch (error) {
    // Servers should answer with a revision of theirs, but some refuse and list what they would take.
    const supported = error instanceof RpcError && isObject(error.data) ? error.data["supported"] : undefined;
    if (!Array.isArray(supported)) throw error;
    const revision = bestCommon(terms.revisions, supported, "legacy");
    if (revision === undefined || revision === offered) throw noCommonRevision(terms.revisions, supported, error);
    return readAgreement(await propose(caller, terms, revision), terms);
  }
}

function propose(caller: Caller, terms: Terms, protocolVersion: Revision): Promise<object> {
  const { info, capabilities, signal } = terms;
  const { roots } = capabilities;
  const params: InitializeParams = {
    protocolVersion,
    clientInfo: info,
    // Only in this era do servers want to hear when the roots have changed.
    capabilities: roots === undefined ? capabilities : { ...capabilities, roots: { ...roots, listChanged: true } },
  };
  const rewrite = initializeParamsRewrite(protocolVersion);
  const sent = rewrite === undefined ? params : rewrite(params);
  return caller.call("initialize", sent, { signal, timeout: Infinity });
}

function readAgreement(result: object, terms: Terms): Agreement {
  const { protocolVersion, capabilities, serverInfo, instructions } = result as { readonly [key: string]: unknown };
  if (typeof protocolVersion !== "string") {
    throw new ProtocolViolation("INVALID_RESULT", "The answer to initialize must have a `protocolVersion`.");
  }
  // The server has the last word; if it is not to the client's liking, the client leaves (2025-11-25, "Lifecycle").
  if (
    !isRevision(protocolVersion) ||
    eraOf(protocolVersion) !== "legacy" ||
    !terms.revisions.includes(protocolVersion)
  ) {
    throw noCommonRevision(terms.revisions, [protocolVersion]);
  }
  return {
    revision: protocolVersion,
    era: "legacy",
    server: isObject(serverInfo) ? (serverInfo as unknown as Implementation) : undefined,
    capabilities: isObject(capabilities) ? (capabilities as ServerCapabilities) : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
    supportedVersions: [protocolVersion],
  };
}
