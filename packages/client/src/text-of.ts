import { isObject } from "@toolwire/protocol/internal";
import {
  UsageError,
  type CallToolResult,
  type ContentBlock,
  type GetPromptResult,
  type PromptMessage,
  type ReadResourceResult,
  type ResourceContents,
  type SamplingContentBlock,
  type SamplingMessage,
} from "@toolwire/protocol";

/** Values that contain text: results of tools, prompts and resources, and their parts. */
export type TextSource =
  | Pick<CallToolResult, "content" | "isError">
  | Pick<GetPromptResult, "messages">
  | Pick<ReadResourceResult, "contents">
  | PromptMessage
  | SamplingMessage
  | ContentBlock
  | ResourceContents
  | readonly (ContentBlock | SamplingContentBlock)[];

/**
 * Gets the text of a tool result, a prompt or a resource: its text blocks, and embedded resources that are text, joined by
 * line feeds. Images, audio, bytes and links are left out. Without any text, it is empty.
 *
 * @example
 * ```ts
 * import { connect, textOf } from "@toolwire/client";
 *
 * const client = await connect("https://example.com/mcp");
 * console.log(textOf(await client.callTool("get_weather", { city: "Oslo" })));
 * ```
 */
export function textOf(source: TextSource): string {
  const texts: string[] = [];
  if (Array.isArray(source) || (isObject(source) && PARTS.some((part) => part in source))) {
    collectTexts(source, texts, MAX_DEPTH);
    return texts.join("\n");
  }
  const message = "textOf() takes a result of callTool, getPrompt or readResource, or a part of one; got ";
  throw new UsageError("INVALID_ARGUMENT", `${message}${describe(source)}.`);
}

/** The members of which a source has at least one. */
const PARTS = ["content", "messages", "contents", "type", "text", "blob"];

/** The members that hold further parts. */
const CONTAINERS = ["content", "messages", "contents", "resource"];

/** How deep parts can be within each other: a message holds the result of a tool, which holds a resource. */
const MAX_DEPTH = 5;

/** Adds all texts, in order. The value is untrusted: it may be of any type and depth. */
function collectTexts(parts: unknown, texts: string[], depth: number): void {
  for (const part of Array.isArray(parts) ? (parts as unknown[]) : [parts]) {
    if (!isObject(part)) continue;
    if (typeof part["text"] === "string") texts.push(part["text"]);
    else if (depth > 0) for (const container of CONTAINERS) collectTexts(part[container], texts, depth - 1);
  }
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (!isObject(value)) return `a ${typeof value}`;
  return typeof value["then"] === "function" ? "a promise: await it first" : "an object without `content`";
}
