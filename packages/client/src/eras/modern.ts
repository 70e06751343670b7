import {
  ErrorCode,
  eraOf,
  type Implementation,
  type Meta,
  MetaKey,
  type NotificationMessage,
  type RequestMeta,
  type Revision,
  RpcError,
  type ServerCapabilities,
  ToolwireError,
  TransportError,
} from "@toolwire/protocol";
import { type Caller, isObject } from "@toolwire/protocol/internal";
import { fromWire, toChange, toWire } from "../messages/changes.ts";
import { checkType, readResult } from "../messages/results.ts";
import { blamesRequest, isUnknownEndpoint } from "../transports/refusal.ts";
import { after, follow } from "../waiting.ts";
import {
  type Agreement,
  bestCommon,
  type ClientEra,
  type EraConnection,
  type EraFailure,
  type FailedRequest,
  NoCommonRevision,
  type Terms,
  type Watcher,
} from "./era.ts";

/**
 * The modern era (2026-07-28): servers keep no state. `server/discover` says what they speak, every request carries the
 * client's revision, capabilities and log level, and a subscription is one long request.
 */
export const modernEra: ClientEra = {
  name: "modern",
  agree: discover,
  recognizes: (error) => error instanceof ToolwireError && MODERN_ERRORS.has(error.code),
  explainForeign: (error, terms) => new NoCommonRevision(terms.revisions, [], error),
  requestMeta: modernMeta,
  withoutRequestMeta,
  hasResultTypes: true,
  hasParamHeaders: true,
  hasSessions: false,
  sharesAnnouncements: false,
  classify,
  watch: listen,
  allowsBatch: () => false,
};

/** The errors that only a modern server sends (versioning, "Backward Compatibility"). */
const MODERN_ERRORS: ReadonlySet<number | string> = new Set([
  ErrorCode.UnsupportedProtocolVersion,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.HeaderMismatch,
  "NO_COMMON_REVISION",
]);

/** How often a server may ask for another revision before the client gives up. */
const MAX_ATTEMPTS = 3;

/**
 * Asks a server for its revisions and capabilities, in the best revision that it accepts. Rejects with {@link NoCommonRevision} if
 * it lists only revisions of other eras, and with any other error as it came.
 */
async function discover(caller: Caller, terms: Terms): Promise<Agreement> {
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
      // This may be the very revision that was refused: some gateways refuse before they know better.
      revision = bestCommon(terms.revisions, supported, "modern");
    }
  }
  throw new NoCommonRevision(terms.revisions, supported, refusal);
}

function askInRevision(caller: Caller, terms: Terms, revision: Revision): Promise<object> {
  const params = { _meta: modernMeta(terms, revision) };
  return caller.call("server/discover", params, { signal: terms.signal, timeout: Infinity });
}

/** The revisions that an `UnsupportedProtocolVersionError` lists; `undefined` for any other error. */
function supportedIn(error: unknown): readonly unknown[] | undefined {
  if (!(error instanceof RpcError) || error.code !== ErrorCode.UnsupportedProtocolVersion) return undefined;
  const supported = isObject(error.data) ? error.data["supported"] : undefined;
  return Array.isArray(supported) ? (supported as unknown[]) : [];
}

function readDiscovery(result: object): Omit<Agreement, "revision"> {
  checkType("server/discover", result);
  const { supportedVersions, capabilities, instructions, serverInfo, _meta } = readResult(
    "server/discover",
    result,
  ) as { readonly [key: string]: unknown };
  const info = isObject(_meta) ? _meta[MetaKey.ServerInfo] : undefined;
  // Some servers put their name where earlier drafts of the specification had it.
  const server = isObject(info) ? info : serverInfo;
  return {
    era: modernEra,
    server: isObject(server) ? (server as unknown as Implementation) : undefined,
    capabilities: capabilities as ServerCapabilities,
    instructions: typeof instructions === "string" ? instructions : undefined,
    supportedVersions: supportedVersions as readonly string[],
  };
}

/** The `_meta` of every modern request. A connection makes it once, because it is the same for all of them. */
function modernMeta(terms: Terms, revision: Revision): RequestMeta {
  return {
    [MetaKey.ProtocolVersion]: revision,
    [MetaKey.ClientInfo]: terms.info,
    [MetaKey.ClientCapabilities]: terms.capabilitiesIn(revision),
  };
}

/** The parameters of a call that was sent to a modern server, without what only modern servers want to see. */
function withoutRequestMeta(params: { readonly _meta?: Meta }): object {
  if (params._meta?.[MetaKey.ProtocolVersion] === undefined) return params;
  const {
    [MetaKey.ProtocolVersion]: _revision,
    [MetaKey.ClientInfo]: _info,
    [MetaKey.ClientCapabilities]: _capabilities,
    [MetaKey.LogLevel]: _level,
    ...own
  } = params._meta;
  return { ...params, _meta: own };
}

function classify(error: unknown, { method, hasHeaders, isProven }: FailedRequest): EraFailure | undefined {
  if (hasHeaders && !isProven && castsDoubt(error)) return "doubtful era";
  if (!(error instanceof RpcError)) return undefined;
  if (error.code === ErrorCode.UnsupportedProtocolVersion) return "revision";
  return error.code === ErrorCode.HeaderMismatch && method === "tools/call" ? "headers" : undefined;
}

/**
 * Whether an answer over HTTP makes it doubtful that the server still is modern. A legacy server in its place knows no
 * request outside of a session, and says so in general terms, often by a code of those that modern servers should not use
 * (2026-07-28, "Error Codes").
 */
function castsDoubt(error: unknown): boolean {
  if (!(error instanceof RpcError)) return isUnknownEndpoint(error);
  // An error that came with a success is that of a server that has looked into the request.
  if (!blamesRequest(error)) return false;
  const { code } = error;
  return (
    code === ErrorCode.InvalidRequest || (code <= -32_000 && code > -32_020 && code !== ErrorCode.ResourceNotFound)
  );
}

/** The members that notifications of a subscription may have. */
interface ListenParams {
  readonly notifications?: unknown;
  readonly requestId?: unknown;
  readonly _meta?: { readonly [key: string]: unknown };
}

/**
 * Subscribes with one long request, whose answer is a stream of changes. Resolves when the server ends it on purpose, and
 * rejects when it breaks.
 */
async function listen(connection: EraConnection, watcher: Watcher): Promise<void> {
  const { filter, signal, timeout } = watcher;
  const stop = new AbortController();
  const unfollow = follow(signal, stop);
  const message = "The server did not acknowledge the subscription in time.";
  const timer = after(timeout, () => stop.abort(new TransportError("TIMEOUT", message)), connection.pausedTime);
  let id: unknown;
  let isAccepted = false;
  let isEnded = false;
  const onNotification = (notification: NotificationMessage): void => {
    watcher.notification(notification);
    const { notifications, requestId, _meta } = (notification.params ?? {}) as ListenParams;
    if (notification.method === "notifications/subscriptions/acknowledged") {
      timer?.clear();
      id = _meta?.[MetaKey.SubscriptionId];
      isAccepted = true;
      watcher.accepted(fromWire(notifications, filter));
    } else if (notification.method === "notifications/cancelled") {
      // Cancellations of requests that are unknown here have to be ignored.
      if (id !== undefined && requestId !== id) return;
      isEnded = true;
      stop.abort();
    } else if (isAccepted) {
      const change = toChange(notification);
      if (change !== undefined) watcher.changed(change);
    }
  };
  try {
    const params = { notifications: toWire(filter) };
    const options = { signal: stop.signal, timeout: Infinity, onNotification };
    checkType("subscriptions/listen", await connection.call("subscriptions/listen", params, options));
  } catch (error) {
    if (!isEnded) throw error;
  } finally {
    timer?.clear();
    unfollow?.();
  }
}
