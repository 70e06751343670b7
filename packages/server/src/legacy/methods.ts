import { ErrorCode, type InitializeResult, RpcError, type ServerCapabilities } from "@toolwire/protocol";
import { invalidParams, methodNotFound, resourceNotFound } from "../errors.ts";
import { readInitializeParams, readSetLevelParams, readSubscribeParams } from "@toolwire/protocol/internal";
import { defined } from "../define/check-options.ts";
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

/** The most characters of JSON in the parameters of `initialize`. {@link ClientProfile} keeps less. */
const MAX_SELF = 65_536;

/** Answers `initialize`. The era has chosen the revision already. */
export function initialize(request: ServedRequest, given: object | undefined): InitializeResult {
  const { clientInfo, capabilities } = readInitializeParams(given);
  if (JSON.stringify(given).length > MAX_SELF) {
    throw invalidParams(`\`params\` are longer than ${MAX_SELF} characters.`);
  }
  const { definition, revision } = request;
  const session = sessionOf(request);
  if (session !== undefined) {
    session.profile = new ClientProfile(clientInfo, capabilities);
    session.revision = revision;
  }
  const { info, instructions } = definition;
  return defined<InitializeResult>({
    protocolVersion: revision,
    capabilities:
      session?.link.notify === undefined ? withinRequests(definition.capabilities) : definition.capabilities,
    serverInfo: info,
    instructions,
  });
}

/** Answers `ping`. */
export function ping(): object {
  return {};
}

/** Answers `logging/setLevel`. */
export function setLevel(request: ServedRequest, given: object | undefined): object {
  if (!request.definition.hasLogging) throw methodNotFound(request.method);
  const { level } = readSetLevelParams(given);
  expectSession(request).logLevel = level;
  return {};
}

/** Answers `resources/subscribe`. */
export function subscribe(request: ServedRequest, given: object | undefined): object {
  const { uri } = readSubscribeParams(given);
  const { resources } = request.definition;
  if (request.definition.capabilities.resources === undefined) throw methodNotFound(request.method);
  const found = resources.locate(uri);
  if (found === undefined) throw resourceNotFound(request.revision, uri);
  requireScopesOf(request, found.scopes);
  const session = expectSession(request);
  (session.watched ??= new WatchedResources()).add(uri);
  return {};
}

/** Answers `resources/unsubscribe`. */
export function unsubscribe(request: ServedRequest, given: object | undefined): object {
  const { uri } = readSubscribeParams(given);
  if (request.definition.capabilities.resources === undefined) throw methodNotFound(request.method);
  expectSession(request).watched?.delete(uri);
  return {};
}

/** The capabilities for a client that cannot be reached later: without notifications that belong to no request. */
function withinRequests(all: ServerCapabilities): ServerCapabilities {
  const { tools, resources, prompts } = all;
  const rest = { tools: tools && {}, resources: resources && {}, prompts: prompts && {}, logging: undefined };
  return defined<ServerCapabilities>({ ...all, ...rest });
}

/** The session that a method changes. Refuses requests without one, because the change would have no effect. */
function expectSession(request: ServedRequest): LegacySession {
  const session = sessionOf(request);
  if (session === undefined) throw noSession(request.method, ErrorCode.MethodNotFound);
  return session;
}
