import { isObject } from "@toolwire/protocol/internal";
import { type LogMessageParams, type NotificationMessage, ProtocolViolation } from "@toolwire/protocol";

/** Reads a log message; `undefined` for any other notification. */
export function readLogMessage({ method, params }: NotificationMessage): LogMessageParams | undefined {
  const isLog = method === "notifications/message" && isObject(params) && typeof params["level"] === "string";
  return isLog ? (params as unknown as LogMessageParams) : undefined;
}

type Fields = { readonly [key: string]: unknown };

/**
 * The members that results must have, so that the client and its users can rely on their types: a list of this name, whose
 * items are objects with these strings. Everything else is passed on as it came.
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
  // The value is untrusted, and may be long or deep.
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

/** The error for an invalid result. */
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

/** Some servers write `null` for no cursor. */
function readCursor(method: string, { nextCursor, ...result }: Fields): object {
  if (nextCursor === null || nextCursor === undefined) return result;
  throw invalidResult(method, "`nextCursor` must be a string");
}
