import type { ContentBlock, ResultMeta } from "@toolwire/protocol";

/** The parts of a tool's answer that {@link reply} puts together. */
export interface ReplyParts<Structured = unknown> {
  /** For the model to read. A string is one block of text. Absent: `structured` as JSON text. */
  content?: string | ContentBlock | readonly (string | ContentBlock)[] | undefined;
  /** For programs to read; checked against the tool's `output`. May only be left out of errors. */
  structured?: Structured | undefined;
  /** The tool ran and failed, and the content says why. Errors are not checked against `output`. */
  isError?: boolean | undefined;
  _meta?: ResultMeta | undefined;
}

/** An answer with parts of your choice; made by {@link reply}. */
export class ToolReply<Structured = unknown> {
  readonly parts: ReplyParts<Structured>;

  constructor(parts: ReplyParts<Structured>) {
    this.parts = parts;
  }
}

/**
 * Answers with more than a value: text of your own beside the structured result, an error, or `_meta`.
 *
 * @example
 * ```ts
 * return reply({ content: "22 degrees and sunny", structured: { temperature: 22 } });
 * ```
 */
export function reply<const Structured = never>(parts: ReplyParts<Structured>): ToolReply<Structured> {
  return new ToolReply(parts);
}
