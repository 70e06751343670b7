import {
  readInitializeParams,
  readSetLevelParams,
  readSubscribeParams,
  type InitializeResult,
} from "@toolwire/protocol";
import { methodNotFound, resourceNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";

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
  if (resources.locate(uri) === undefined) throw resourceNotFound(call.revision, uri);
  call.session?.watch(uri);
  return {};
}

/** Answers `resources/unsubscribe`. */
export function unsubscribe(call: ServedRequest, given: object | undefined): object {
  const { uri } = readSubscribeParams(given);
  if (call.definition.capabilities.resources === undefined) throw methodNotFound(call.method);
  call.session?.unwatch(uri);
  return {};
}
