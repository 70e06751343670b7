import { SelfEncoding } from "@toolwire/protocol/internal";
import type { TextContent } from "@toolwire/protocol";

/**
 * A tool result that is a single text, the most common result of all. It writes itself: only the text goes through
 * `JSON.stringify`, because the rest is always the same. That brought stdio with 64 requests in flight from 0.82 to 1.0
 * times a bare server (`apps/bench/README.md`), which is why this second code path exists.
 */
export class SingleTextResult extends SelfEncoding {
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

/** Matches characters that JSON has to escape, and surrogates, which it has to escape if they are unpaired. */
// oxlint-disable-next-line no-control-regex -- JSON escapes control characters.
const ESCAPED = /[\u0000-\u001F"\\\uD800-\uDFFF]/;

/** A text as JSON. Testing that nothing has to be escaped takes half the time of `JSON.stringify`. */
function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The members that an era adds to every result. */
export interface Signature {
  readonly fields: object | undefined;
  /** The JSON text that follows the content, with the closing brace. */
  readonly json: string;
}

/** Prepares a signature. */
export function prepareSignature(fields?: object): Signature {
  return { fields, json: fields === undefined ? "}" : `,${JSON.stringify(fields).slice(1)}` };
}

/** The text block of a result that has no other content and no other members. */
export function findSingleText(result: object): TextContent | undefined {
  const { content } = result as { readonly content?: unknown };
  if (!Array.isArray(content) || content.length !== 1 || Object.keys(result).length !== 1) return undefined;
  const [block] = content as [TextContent];
  const isSingle = block.type === "text" && typeof block.text === "string" && Object.keys(block).length === 2;
  return isSingle ? block : undefined;
}
