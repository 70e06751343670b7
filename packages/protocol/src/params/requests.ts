/**
 * Checks the parameters of requests to a server. Each function returns the object that it was given, or throws an
 * `RpcError` -32602 that names the wrong member. Unknown members are left alone.
 */

import { nameOf } from "../messages/parse.ts";
import type { ListParams } from "../model/basic.ts";
import type { GetPromptParams } from "../model/prompts.ts";
import type { ReadResourceParams } from "../model/resources.ts";
import type { CallToolParams } from "../model/tools.ts";
import type { CompleteParams, ListenParams } from "../model/utilities.ts";
import {
  expectObject,
  expectOneOf,
  expectOptionalObject,
  expectOptionalString,
  expectOptionalStrings,
  expectParams,
  expectString,
  invalidParams,
  type Unread,
} from "./expect.ts";

/** The parameters of all requests for a list; legacy clients may send none. */
export function readListParams(params: unknown = {}): ListParams {
  const object = expectParams(params);
  expectOptionalString(object["cursor"], "cursor");
  return object as ListParams;
}

/** The parameters of `tools/call`. Whether the arguments fit the tool is for the tool's schema to say. */
export function readCallToolParams(params: unknown): CallToolParams {
  const object = expectParams(params);
  expectString(object["name"], "name");
  expectOptionalObject(object["arguments"], "arguments");
  expectRetry(object);
  return object as unknown as CallToolParams;
}

/** The parameters of `prompts/get`. */
export function readGetPromptParams(params: unknown): GetPromptParams {
  const object = expectParams(params);
  expectString(object["name"], "name");
  expectOptionalStrings(object["arguments"], "arguments");
  expectRetry(object);
  return object as unknown as GetPromptParams;
}

/** The parameters of `resources/read`. */
export function readReadResourceParams(params: unknown): ReadResourceParams {
  const object = expectParams(params);
  expectString(object["uri"], "uri");
  expectRetry(object);
  return object as unknown as ReadResourceParams;
}

/** The parameters of `completion/complete`. */
export function readCompleteParams(params: unknown): CompleteParams {
  const object = expectParams(params);
  const ref = expectObject(object["ref"], "ref");
  const type = expectOneOf(ref["type"], ["ref/prompt", "ref/resource"], "ref.type");
  if (type === "ref/prompt") expectString(ref["name"], "ref.name");
  else expectString(ref["uri"], "ref.uri");
  const argument = expectObject(object["argument"], "argument");
  expectString(argument["name"], "argument.name");
  expectString(argument["value"], "argument.value");
  const context = expectOptionalObject(object["context"], "context");
  expectOptionalStrings(context?.["arguments"], "context.arguments");
  return object as unknown as CompleteParams;
}

/** The parameters of `subscriptions/listen`. */
export function readListenParams(params: unknown): ListenParams {
  const object = expectParams(params);
  const filter = expectObject(object["notifications"], "notifications");
  for (const key of ["toolsListChanged", "promptsListChanged", "resourcesListChanged"]) {
    const wanted = filter[key];
    if (wanted !== undefined && typeof wanted !== "boolean") {
      throw invalidParams(`notifications.${key}`, "true or false", nameOf(wanted));
    }
  }
  const uris = filter["resourceSubscriptions"];
  if (uris !== undefined) {
    const where = "notifications.resourceSubscriptions";
    if (!Array.isArray(uris)) throw invalidParams(where, "an array of strings", nameOf(uris));
    for (const uri of uris) expectString(uri, where, "[]");
  }
  return object as unknown as ListenParams;
}

/** Checks the members of a request that is sent again with the input it was asked for (2026-07-28, mrtr page). */
function expectRetry(params: Unread): void {
  expectOptionalString(params["requestState"], "requestState");
  const responses = expectOptionalObject(params["inputResponses"], "inputResponses");
  if (responses === undefined) return;
  for (const response of Object.values(responses)) expectObject(response, "inputResponses", ".*");
}
