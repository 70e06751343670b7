import { ErrorCode, type InitializeResult, RpcError, type ServerCapabilities } from "@toolwire/protocol";
import { invalidParams, methodNotFound, resourceNotFound } from "../errors.ts";
import { readInitializeParams, readSetLevelParams, readSubscribeParams } from "@toolwire/protocol/internal";
import { defined } from "../define/check-options.ts";
import type { ConnectionSharing } from "../origin.ts";
import { requireScopesOf } from "../request/scopes.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { ClientProfile } from "./client-profile.ts";
import { sessionOf, type LegacySession, WatchedResources } from "./session.ts";

/** The refusal of methods and questions that need a session, in a request that belongs to none. */
export function noSession(what: string, code: number = ErrorCode.InvalidRequest): RpcError {
  return new RpcError(
    code,
    `${what} takes a session, and this request belongs to none. Open one with \`initialize\`; ` +
      "over HTTP, a server keeps sessions unless its option `legacy.sessions` is false.",
  );
}

/** The refusal of methods and questions that need a session of which the server keeps something. */
export function notKept(what: string, code: number = ErrorCode.InvalidRequest): RpcError {
  return new RpcError(
    code,
    `${what} takes a session that the server keeps, and of this one it keeps nothing: its option \`legacy.sessions.sealed\` is true. ` +
      "Servers that share a `cluster` keep sessions together.",
  );
}

/** The most characters of JSON in the parameters of `initialize`. {@link ClientProfile} keeps less. */
const MAX_SELF = 65_536;

/** Answers `initialize`. The era has chosen the revision already. */
export function initialize(
  request: ServedRequest,
  given: object | undefined,
): InitializeResult | Promise<InitializeResult> {
  const { clientInfo, capabilities } = readInitializeParams(given);
  if (JSON.stringify(given).length > MAX_SELF) {
    throw invalidParams(`\`params\` are longer than ${MAX_SELF} characters.`);
  }
  const { definition, revision } = request;
  const session = sessionOf(request);
  if (session !== undefined) {
    session.profile = new ClientProfile(clientInfo, capabilities);
    session.revision = revision;
    session.observation ??= definition.observer?.session({ revision, origin: request.origin });
  }
  const { info, instructions } = definition;
  const declared = definition.capabilitiesIn(revision);
  const result = defined<InitializeResult>({
    protocolVersion: revision,
    capabilities: session?.link.notify === undefined ? withinRequests(declared) : declared,
    serverInfo: info,
    instructions,
  });
  return whenKept(session?.keepHandshake(), () => result);
}

/** Answers `ping`. */
export function ping(): object {
  return {};
}

/** Answers `logging/setLevel`. */
export function setLevel(request: ServedRequest, given: object | undefined): object | Promise<object> {
  if (!request.definition.hasLogging) throw methodNotFound(request.method);
  const { level } = readSetLevelParams(given);
  const session = expectSession(request);
  return whenKept(session.keep({ logLevel: level }), () => {
    session.logLevel = level;
    return {};
  });
}

/** Answers `resources/subscribe`. */
export function subscribe(request: ServedRequest, given: object | undefined): object | Promise<object> {
  const { uri } = readSubscribeParams(given);
  const { resources } = request.definition;
  if (request.definition.capabilities.resources === undefined) throw methodNotFound(request.method);
  const found = resources.locate(uri);
  if (found === undefined) throw resourceNotFound(request.revision, uri);
  requireScopesOf(request, found.scopes);
  const session = expectSession(request);
  const watch = (): object => {
    (session.watched ??= new WatchedResources()).add(uri);
    return {};
  };
  const { sharing } = session.link;
  return sharing === undefined ? watch() : watchEverywhere(sharing, uri, watch);
}

/** Lets all processes know of a watched resource. `watch` throws if there are too many, those of other processes included. */
async function watchEverywhere(sharing: ConnectionSharing, uri: string, watch: () => object): Promise<object> {
  await sharing.refresh?.();
  const result = watch();
  await sharing.keep({ watch: uri });
  return result;
}

/** Answers `resources/unsubscribe`. */
export function unsubscribe(request: ServedRequest, given: object | undefined): object | Promise<object> {
  const { uri } = readSubscribeParams(given);
  if (request.definition.capabilities.resources === undefined) throw methodNotFound(request.method);
  const session = expectSession(request);
  return whenKept(session.keep({ unwatch: uri }), () => {
    session.watched?.delete(uri);
    return {};
  });
}

/** The capabilities for a client that cannot be reached later: without notifications that belong to no request. */
function withinRequests(all: ServerCapabilities): ServerCapabilities {
  const { tools, resources, prompts } = all;
  const rest = { tools: tools && {}, resources: resources && {}, prompts: prompts && {}, logging: undefined };
  return defined<ServerCapabilities>({ ...all, ...rest });
}

/** Goes on once a change is kept for other processes; at once if there are none. */
function whenKept<T>(kept: Promise<void> | undefined, next: () => T): T | Promise<T> {
  return kept === undefined ? next() : kept.then(next);
}

/** The session that a method changes. Refuses requests without one, or one of which nothing is kept: it would have no effect. */
function expectSession(request: ServedRequest): LegacySession {
  const session = sessionOf(request);
  if (session === undefined) throw noSession(request.method, ErrorCode.MethodNotFound);
  if (session.link.notify === undefined) throw notKept(request.method, ErrorCode.MethodNotFound);
  return session;
}
