import {
  type DiscoverResult,
  eraOf,
  type Implementation,
  type InitializeParams,
  isRevision,
  type LoggingLevel,
  MetaKey,
  ProtocolViolation,
  type Revision,
  RpcError,
  type ServerCapabilities,
} from "@toolwire/protocol";
import { copyJson } from "../cache/result-cache.ts";
import { type Agreement, bestCommon, noCommonRevision, type Terms } from "../connection/agreement.ts";
import { type Caller, type CallOptions, initializeParamsRewrite, isObject } from "@toolwire/protocol/internal";
import type { Connection } from "../connection/connection.ts";
import type { DiagnosticListener } from "../diagnostics.ts";

/** What a legacy server has said of itself in the handshake, as a modern one answers `server/discover`. A copy. */
export function toDiscovery({ server, capabilities, instructions, supportedVersions }: Agreement): DiscoverResult {
  const said: DiscoverResult = {
    supportedVersions,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ...(server !== undefined && { _meta: { [MetaKey.ServerInfo]: server } }),
  };
  return copyJson(said);
}

/** Tells a legacy server from which severity on to log. It is of use without that, too. */
export async function sendLogLevel(
  connection: Connection | undefined,
  level: LoggingLevel,
  options: CallOptions,
  diagnose: DiagnosticListener,
): Promise<void> {
  try {
    // As it is: if this were mended like a call, a server that forgets its sessions at once would be asked for new ones
    // forever.
    await connection?.call("logging/setLevel", { level }, options);
  } catch (error) {
    // Whoever has given up meanwhile has not heard what the server would have said.
    if (!options.signal?.aborted) diagnose({ level: "warning", message: "The server takes no log level.", error });
  }
}

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
