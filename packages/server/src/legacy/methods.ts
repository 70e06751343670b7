import {
  readInitializeParams,
  readSetLevelParams,
  readSubscribeParams,
  type InitializeResult,
} from "@toolwire/protocol";
import { invalidParams, methodNotFound } from "../errors.ts";
import { locateResource } from "../methods/locate-resource.ts";
import { resourceNotFound } from "../methods/unknown-resource.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Session } from "./session.ts";

/** The most resources that one session may watch. */
const MAX_WATCHED = 1000;

/** Answers `initialize`, whose revision has been settled already. */
export function initialize(call: ServedRequest, given: object | undefined): InitializeResult {
  const { clientInfo, capabilities } = readInitializeParams(given);
  const { definition, revision, session } = call;
  if (session !== undefined) {
    session.revision = revision;
    session.clientInfo = clientInfo;
    session.clientCapabilities = capabilities;
  }
  const { info, instructions } = definition;
  return {
    protocolVersion: revision,
    capabilities: definition.capabilities,
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
  };
}

/** Answers `ping`. */
export function ping(): object {
  return {};
}

/** Answers `logging/setLevel`. */
export function setLevel(call: ServedRequest, given: object | undefined): object {
  if (!call.definition.hasLogging) throw methodNotFound(call.method);
  const { level } = readSetLevelParams(given);
  if (call.session !== undefined) call.session.logLevel = level;
  return {};
}

/** Answers `resources/subscribe`. */
export function subscribe(call: ServedRequest, given: object | undefined): object {
  const { uri } = readSubscribeParams(given);
  const { resources } = call.definition;
  if (call.definition.capabilities.resources === undefined) throw methodNotFound(call.method);
  if (locateResource(resources, uri) === undefined) throw resourceNotFound(call.revision, uri);
  if (call.session !== undefined) watch(call.session, uri);
  return {};
}

/** Answers `resources/unsubscribe`. */
export function unsubscribe(call: ServedRequest, given: object | undefined): object {
  const { uri } = readSubscribeParams(given);
  if (call.definition.capabilities.resources === undefined) throw methodNotFound(call.method);
  call.session?.watched?.delete(uri);
  return {};
}

function watch(session: Session, uri: string): void {
  session.watched ??= new Set();
  if (session.watched.size >= MAX_WATCHED) {
    throw invalidParams(`A session may watch at most ${MAX_WATCHED} resources: unsubscribe from some first.`);
  }
  session.watched.add(uri);
}
