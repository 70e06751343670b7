import { shortenText } from "@toolwire/openapi";
import { isObject } from "@toolwire/protocol/internal";
import { type CallToolResult, type ContentBlock, ToolError } from "@toolwire/server";
import type { UpstreamConfig } from "../config/config.ts";

/** The limits that results of API tools have without any configuration. */
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT = 80_000;

/** A result within its limits. */
interface LimitedResult {
  readonly result: CallToolResult;
  readonly isTruncated: boolean;
}

/** Keeps the results of an upstream within the limits that those of APIs have, so that none of them fills the context of a model. */
export type LimitResult = (result: CallToolResult, bytes: number) => LimitedResult;

/**
 * Makes the limits of an upstream. What is larger than `maxBytes` is an error for the model. Of texts that are longer than `maxText` in all,
 * the beginning is kept, whole items of JSON where there are any, with a note that says what is missing. Structured content stays with
 * its text: a client checks it against the schema of the tool, so that a part of it would be none.
 */
export function createResultLimit({ response = {} }: UpstreamConfig): LimitResult {
  const { maxBytes = MAX_BYTES, maxText = MAX_TEXT } = response;
  return (result, bytes) => {
    const structured = result.structuredContent === undefined ? 0 : structuredSize(result);
    if (bytes + structured > maxBytes) {
      throw new ToolError(
        `Error: The result of the upstream has ${bytes + structured} bytes, and ${maxBytes} are the most. Ask for less, such as a page or a filter.`,
      );
    }
    if (bytes <= maxText) return { result, isTruncated: false };
    return shortenTexts(result, maxText);
  };
}

/** Shortens the texts of a result, the first ones last. */
function shortenTexts(result: CallToolResult, maxText: number): LimitedResult {
  let left = maxText;
  let isTruncated = false;
  const content: ContentBlock[] = [];
  for (const block of result.content) {
    const text = textOf(block);
    if (text === undefined) {
      content.push(block);
    } else if (text.length <= left) {
      content.push(block);
      left -= text.length;
    } else {
      isTruncated = true;
      const { text: shorter, note } = shortenText(text, left, /^\s*[[{]/.test(text));
      content.push(withText(block, shorter), { type: "text", text: note });
      left = Math.max(0, left - shorter.length);
    }
  }
  return { result: isTruncated ? { ...result, content } : result, isTruncated };
}

/** The text of a block, also of a resource in it. Binary data is none: a model does not read its characters. */
function textOf(block: ContentBlock): string | undefined {
  if (block.type === "text") return typeof block.text === "string" ? block.text : undefined;
  if (block.type !== "resource" || !isObject(block.resource)) return undefined;
  const { text } = block.resource as { readonly text?: unknown };
  return typeof text === "string" ? text : undefined;
}

function withText(block: ContentBlock, text: string): ContentBlock {
  if (block.type === "resource") return { ...block, resource: { ...block.resource, text } } as ContentBlock;
  return { ...block, text } as ContentBlock;
}

/** The length of structured content, which most servers repeat as text: then it is counted once. */
function structuredSize({ content, structuredContent }: CallToolResult): number {
  const written = JSON.stringify(structuredContent) ?? "";
  const isRepeated = content.some((block) => block.type === "text" && block.text.length === written.length);
  return isRepeated ? 0 : written.length;
}
