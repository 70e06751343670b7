import { SelfEncoding } from "@toolwire/protocol/internal";
import type { TextContent } from "@toolwire/protocol";

/**
 * The most common result of all: one text and nothing else but what every result of its era carries. Only the text itself
 * goes through `JSON.stringify`; the rest is always the same, and in a small result walking it is most of the work.
 */
export class LoneText extends SelfEncoding {
  readonly content: readonly [TextContent];
  readonly #signature: string;

  constructor(block: TextContent, { fields, json }: Signature) {
    super();
    this.content = [block];
    this.#signature = json;
    if (fields !== undefined) Object.assign(this, fields);
  }

  override encode(): string {
    return `{"content":[{"type":"text","text":${quote(this.content[0].text)}}]${this.#signature}`;
  }
}

/** What cannot stand in a JSON string as it is, or only in pairs. */
// oxlint-disable-next-line no-control-regex -- control characters are what JSON escapes.
const ESCAPED = /[\u0000-\u001F"\\\uD800-\uDFFF]/;

/** A text as JSON. Finding out that nothing has to be escaped takes half the time of `JSON.stringify`. */
function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** What results of an era carry beyond their content. */
export interface Signature {
  readonly fields: object | undefined;
  /** Everything that follows the content, the closing brace included. */
  readonly json: string;
}

/** Prepares a signature. */
export function prepareSignature(fields?: object): Signature {
  return { fields, json: fields === undefined ? "}" : `,${JSON.stringify(fields).slice(1)}` };
}

/** The block of a result that holds nothing but one text. */
export function findLoneText(result: object): TextContent | undefined {
  const { content } = result as { readonly content?: unknown };
  if (!Array.isArray(content) || content.length !== 1 || Object.keys(result).length !== 1) return undefined;
  const [block] = content as [TextContent];
  const isLone = block.type === "text" && typeof block.text === "string" && Object.keys(block).length === 2;
  return isLone ? block : undefined;
}
