import { type CallToolResult, type ContentBlock, type ResultMeta, UsageError } from "@toolwire/protocol";
import { isObject, expectOption } from "@toolwire/protocol/internal";
import type { PrintedHint } from "./tool.ts";

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

/** The result of another server, made by {@link passOn}. */
export class PassedResult extends ToolReply<never> {
  readonly result: CallToolResult;

  constructor(result: CallToolResult) {
    const { content, structuredContent, isError, _meta } = result;
    super({ content, structured: structuredContent as never, isError, _meta });
    this.result = result;
  }
}

/**
 * Makes an answer of a result that another server gave, for gateways and proxies. It is sent as it is, and not validated against
 * `output`: a mistake of that server is for the caller to see, and an answer that works is not replaced by an error.
 *
 * @example
 * ```ts
 * run: async (args) => passOn(await upstream.callTool("report", args)),
 * ```
 */
export function passOn(result: CallToolResult): ToolReply<never> {
  const isResult = isObject(result) && Array.isArray(result["content"]);
  expectOption("the argument of passOn()", result, isResult, "the result of a tool, with a list of `content`");
  return new PassedResult(result);
}

/** The return value of a tool without `output`. `Hint` is for the compiler's messages alone. */
export type ToolContent<Hint extends string = string> =
  | string
  | ContentBlock
  | readonly (string | ContentBlock)[]
  | ToolReply
  | CallToolResult
  | undefined
  | void
  | PrintedHint<Hint>;
