import { isObject } from "@toolwire/protocol/internal";
import { type LogMessageParams, type NotificationMessage, ProtocolViolation } from "@toolwire/protocol";

/** What a log message says; `undefined` if it is none. */
export function readLogMessage({ method, params }: NotificationMessage): LogMessageParams | undefined {
  const isLog = method === "notifications/message" && isObject(params) && typeof params["level"] === "string";
  return isLog ? (params as unknown as LogMessageParams) : undefined;
}

type Fields = { readonly [key: string]: unknown };

/**
 * What the results of each method must have for the client, and whoever uses it, to rely on their types: a list under
 * this name, whose items are objects with these strings. Everything else is passed on as it came.
 */
const LISTS: ReadonlyMap<string, readonly [list: string, ...strings: string[]]> = new Map([
  ["tools/list", ["tools", "name"]],
  ["resources/list", ["resources", "uri", "name"]],
  ["resources/templates/list", ["resourceTemplates", "uriTemplate", "name"]],
  ["prompts/list", ["prompts", "name"]],
  ["resources/read", ["contents", "uri"]],
  ["prompts/get", ["messages", "role"]],
  ["tools/call", ["content", "type"]],
]);

/**
 * Throws a `ProtocolViolation` if a modern result is of a type that this client does not know, which makes it invalid. Older
 * servers leave the type out, and mean `complete`.
 */
export function checkType(method: string, result: object): void {
  const { resultType = "complete" } = result as Fields;
  if (resultType === "complete") return;
  // It may be of any length and depth.
  const shown = typeof resultType === "string" ? JSON.stringify(resultType.slice(0, 99)) : typeof resultType;
  throw invalidResult(method, `\`resultType\` is ${shown}, which this client does not know`);
}

/** Checks a final result, and throws a `ProtocolViolation` that says where it is not what its method promises. */
export function readResult(method: string, result: object): object {
  const fields = result as Fields;
  const expected = LISTS.get(method);
  if (expected !== undefined) {
    const [list, ...strings] = expected;
    // Some servers write `null` for an empty list. A structured result with no blocks beside it is incomplete, but harmless.
    if (fields[list] === null || (list === "content" && fields[list] === undefined)) {
      return readResult(method, { ...result, [list]: [] });
    }
    checkList(method, fields[list], list, strings);
    if ("nextCursor" in fields && typeof fields["nextCursor"] !== "string") return readCursor(method, fields);
  } else if (method === "completion/complete") {
    const { completion } = fields;
    const values = isObject(completion) ? completion["values"] : undefined;
    if (!Array.isArray(values)) throw invalidResult(method, "`completion.values` must be an array");
  } else if (method === "server/discover") {
    if (!Array.isArray(fields["supportedVersions"])) {
      throw invalidResult(method, "`supportedVersions` must be an array");
    }
    if (!isObject(fields["capabilities"])) throw invalidResult(method, "`capabilities` must be an object");
  }
  return result;
}

/** The complaint about a result. */
export function invalidResult(method: string, problem: string): ProtocolViolation {
  return new ProtocolViolation("INVALID_RESULT", `The server's answer to ${method} breaks the protocol: ${problem}.`);
}

function checkList(method: string, list: unknown, name: string, strings: readonly string[]): void {
  if (!Array.isArray(list)) throw invalidResult(method, `\`${name}\` must be an array`);
  for (let index = 0; index < list.length; index++) {
    const item: unknown = list[index];
    if (!isObject(item)) throw invalidResult(method, `\`${name}[${index}]\` must be an object`);
    for (const key of strings) {
      if (typeof item[key] !== "string") throw invalidResult(method, `\`${name}[${index}].${key}\` must be a string`);
    }
    if (name === "messages" && !isObject(item["content"])) {
      throw invalidResult(method, `\`messages[${index}].content\` must be an object`);
    }
    if (name === "contents" && typeof (item["text"] ?? item["blob"]) !== "string") {
      throw invalidResult(method, `\`contents[${index}].text\` or \`blob\` must be a string`);
    }
  }
}

/** Some servers say `null` where the protocol says nothing. */
function readCursor(method: string, { nextCursor, ...result }: Fields): object {
  if (nextCursor === null || nextCursor === undefined) return result;
  throw invalidResult(method, "`nextCursor` must be a string");
}
