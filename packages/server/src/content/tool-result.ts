import { isObject } from "@toolwire/protocol/internal";
import { type CallToolResult, type ContentBlock, type ResultMeta, type Tool, UsageError } from "@toolwire/protocol";
import { expectOption } from "../define/check-options.ts";
import type { PrintedHint } from "../define/tool.ts";

/** The parts of a tool's answer, for {@link reply}. */
export interface ReplyParts<Structured = unknown> {
  /** Content for the model. A string is one block of text. Default: `structured` as JSON text. */
  content?: string | ContentBlock | readonly (string | ContentBlock)[] | undefined;
  /**
   * Data for programs, validated against the tool's `output`. With `output`, it is required unless `isError` is true.
   */
  structured?: Structured | undefined;
  /** Whether the tool failed; the content says why. Errors are not validated against `output`. */
  isError?: boolean | undefined;
  _meta?: ResultMeta | undefined;
}

/** An answer of a tool with parts of your choice, made by {@link reply}. */
export class ToolReply<Structured = unknown> {
  readonly parts: ReplyParts<Structured>;

  constructor(parts: ReplyParts<Structured>) {
    this.parts = parts;
  }
}

/**
 * Makes an answer with more than a value: text of your own next to the structured result, an error, or `_meta`.
 *
 * @example
 * ```ts
 * return reply({ content: "22 degrees and sunny", structured: { temperature: 22 } });
 * ```
 */
export function reply<const Structured = never>(parts: ReplyParts<Structured>): ToolReply<Structured> {
  expectOption("parts of reply()", parts, isObject(parts), "an object such as { content, structured }");
  if ("structuredContent" in parts) {
    throw new UsageError("INVALID_ARGUMENT", "`structuredContent` is called `structured` in reply().");
  }
  return new ToolReply(parts);
}

/**
 * Refuses a whole result in place of the data that `output` describes. The official SDK wants it so, and many schemas would
 * let it pass and leave nothing of it, because they drop what they do not know.
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

/** Deeper than this nobody looks at once: what is nested in itself has no end. */
const MAX_DEPTH = 100;

/**
 * Whether a value comes out of JSON as it went in. `NaN` becomes `null`, a date text, a `Map` an empty object, what is
 * `undefined` disappears: of such a value, what was checked is not what arrives. Looking takes a fraction of the time
 * that writing takes.
 */
export function survivesJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH || "toJSON" in value) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!survivesJson(item, depth + 1)) return false;
    return true;
  }
  // What a class inherits to its instances is there for whoever checks them, but not in JSON.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const name in value) if (!survivesJson(value[name as never], depth + 1)) return false;
  return true;
}

/** A tool result in the making. Fresh for each call, so that it may be completed in place. */
export type ToolResult = { -readonly [K in keyof CallToolResult]: CallToolResult[K] };

/** What a tool without `output` may return. `Hint` is for the compiler's messages alone. */
export type ToolContent<Hint extends string = string> =
  | string
  | ContentBlock
  | readonly (string | ContentBlock)[]
  | ToolReply
  | CallToolResult
  | undefined
  | void
  | PrintedHint<Hint>;

/** An answer that tells the model what went wrong. */
export function errorResult(message: string): ToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** An answer put together from its parts; what programs read as a value, models read as JSON text, unless there is other. */
export function repliedResult({ content, isError, _meta }: ReplyParts, structured: unknown): ToolResult {
  const isMirrored = content === undefined && structured !== undefined;
  const result: ToolResult = { content: readContent(isMirrored ? writeJson(structured) : content) };
  if (structured !== undefined) result.structuredContent = structured;
  if (isError === true) result.isError = true;
  if (_meta !== undefined) result._meta = _meta;
  return result;
}

/** An answer from whatever a tool without `output` returned. */
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

/** A structured result as JSON text. Throws a `UsageError` for what has none, such as a function. */
export function writeJson(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new UsageError("INVALID_ARGUMENT", "A structured result must be a value that JSON can hold.");
  }
  return json;
}
