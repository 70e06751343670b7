import { isObject } from "@toolwire/protocol/internal";
import { type CallToolResult, type ContentBlock, type Tool, UsageError } from "@toolwire/protocol";
import { type ReplyParts, ToolReply } from "../define/reply.ts";

/**
 * Refuses a whole result in place of the data that `output` describes. The official SDK expects whole results, and many
 * schemas accept them and drop every member that they do not know.
 *
 * @throws UsageError unless the listed schema has a place for a member called `structuredContent`
 */
export function refuseWholeResult({ name, outputSchema = {} }: Tool, returned: unknown): void {
  if (!isObject(returned) || !("structuredContent" in returned)) return;
  const { properties, additionalProperties } = outputSchema;
  const isClosed = isObject(properties) && additionalProperties !== true && !isObject(additionalProperties);
  if (!isClosed || Object.hasOwn(properties, "structuredContent")) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `tool "${name}" returned a whole result with \`structuredContent\`. With \`output\`, return the data alone. ` +
      "For text of your own beside it, return reply({ content, structured }).",
  );
}

/** Says what to return in place of a value that does not fit `output`, if the value looks like a whole result. */
export function explainWholeResult(returned: unknown): string {
  if (!isObject(returned) || !Array.isArray(returned["content"])) return "";
  return (
    "\nIt looks like a whole result. With `output`, return the data alone, or reply({ content, structured }). " +
    "If the tool failed, throw a ToolError, or return reply({ isError: true, content })."
  );
}

/** The depth at which {@link isJsonSafe} gives up: a value may contain itself. */
const MAX_DEPTH = 100;

/**
 * Whether a value comes out of JSON as it went in. `NaN` becomes `null`, a date becomes text, a `Map` an empty object, and
 * `undefined` disappears, so the client would get another value than the one that was validated. Looking takes a
 * fraction of the time that writing takes.
 */
export function isJsonSafe(value: unknown, depth = 0): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH || "toJSON" in value) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isJsonSafe(item, depth + 1)) return false;
    return true;
  }
  // Members that instances inherit from their class are visible to validators, but not in JSON.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const name in value) if (!isJsonSafe(value[name as never], depth + 1)) return false;
  return true;
}

/** A tool result that may still be changed in place. Fresh for each call. */
export type ToolResult = { -readonly [K in keyof CallToolResult]: CallToolResult[K] };

/** A result that tells the model what went wrong. */
export function errorResult(message: string): ToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** A result made of the parts of a reply. Without content, the structured value is repeated as JSON text for models. */
export function repliedResult({ content, isError, _meta }: ReplyParts, structured: unknown): ToolResult {
  const isMirrored = content === undefined && structured !== undefined;
  const result: ToolResult = { content: readContent(isMirrored ? writeJson(structured) : content) };
  if (structured !== undefined) result.structuredContent = structured;
  if (isError === true) result.isError = true;
  if (_meta !== undefined) result._meta = _meta;
  return result;
}

/** The result of a tool without `output`, from the value that it returned. */
export function contentResult(returned: unknown): ToolResult {
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  if (returned instanceof ToolReply) return repliedResult(returned.parts, returned.parts.structured);
  if (isObject(returned) && Array.isArray(returned["content"])) {
    return { ...(returned as unknown as CallToolResult) };
  }
  return { content: readContent(returned) };
}

function readContent(content: unknown): ContentBlock[] {
  if (content === undefined) return [];
  const items: unknown[] = Array.isArray(content) ? content : [content];
  return items.map((item) => {
    if (typeof item === "string") return { type: "text", text: item };
    if (isObject(item) && typeof item["type"] === "string") return item as unknown as ContentBlock;
    throw new UsageError(
      "INVALID_ARGUMENT",
      "A tool without `output` returns text, content blocks, or a result whose `content` is an array. " +
        "To return data, declare `output`, or use `reply({ structured })`.",
    );
  });
}

/** A structured result as JSON text. Throws a `UsageError` for values that JSON cannot hold, such as functions. */
export function writeJson(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new UsageError("INVALID_ARGUMENT", "A structured result must be a value that JSON can hold.");
  }
  return json;
}
