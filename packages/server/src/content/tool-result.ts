import { isObject } from "@toolwire/protocol/internal";
import { UsageError, type CallToolResult, type ContentBlock } from "@toolwire/protocol";
import type { PrintedHint } from "../definition/compiler-hints.ts";
import { ToolReply, type ReplyParts } from "./reply.ts";

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
