import { ErrorCode, type InitializeResult, type ServerCapabilities } from "@toolwire/protocol";
import { readInitializeParams, readSetLevelParams, readSubscribeParams } from "@toolwire/protocol/internal";
import { defined } from "../definition/defined.ts";
import { invalidParams, methodNotFound } from "../errors.ts";
import { locateResource } from "../methods/locate-resource.ts";
import { resourceNotFound } from "../methods/unknown-resource.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { ClientProfile } from "./client-profile.ts";
import { noSession } from "./no-session.ts";
import type { Session } from "./session.ts";
import { WatchedResources } from "./watched-resources.ts";

/** How much a client may say about itself, in characters of JSON. Of that, {@link ClientProfile} keeps the essentials. */
const MAX_SELF = 65_536;

/** Answers `initialize`, whose revision has been settled already. */
export function initialize(call: ServedRequest, given: object | undefined): InitializeResult {
  const { clientInfo, capabilities } = readInitializeParams(given);
  if (JSON.stringify(given).length > MAX_SELF) {
    throw invalidParams(`\`params\` are longer than ${MAX_SELF} characters.`);
  }
  const { definition, revision, session } = call;
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
export function setLevel(call: ServedRequest, given: object | undefined): object {
  if (!call.definition.hasLogging) throw methodNotFound(call.method);
  const { level } = readSetLevelParams(given);
  expectSession(call).logLevel = level;
  return {};
}

/** Answers `resources/subscribe`. */
export function subscribe(call: ServedRequest, given: object | undefined): object {
  const { uri } = readSubscribeParams(given);
  const { resources } = call.definition;
  if (call.definition.capabilities.resources === undefined) throw methodNotFound(call.method);
  if (locateResource(resources, uri) === undefined) throw resourceNotFound(call.revision, uri);
  const session = expectSession(call);
  (session.watched ??= new WatchedResources()).add(uri);
  return {};
}

/** Answers `resources/unsubscribe`. */
export function unsubscribe(call: ServedRequest, given: object | undefined): object {
  const { uri } = readSubscribeParams(given);
  if (call.definition.capabilities.resources === undefined) throw methodNotFound(call.method);
  expectSession(call).watched?.delete(uri);
  return {};
}

/** What is left for a client that hears from the server in answers alone, each of which stands for itself. */
function withinRequests(all: ServerCapabilities): ServerCapabilities {
  const { tools, resources, prompts } = all;
  const rest = { tools: tools && {}, resources: resources && {}, prompts: prompts && {}, logging: undefined };
  return defined<ServerCapabilities>({ ...all, ...rest });
}

/** The session in which a method changes something. Without one nothing would come of it, so that is not promised. */
function expectSession({ session, method }: ServedRequest): Session {
  if (session === undefined) throw noSession(method, ErrorCode.MethodNotFound);
  return session;
}
