import { encodedRuns, textsOfBytes } from "./encoded-runs.ts";
import { unescapedTexts } from "./escaped-text.ts";
import { type IndexedSecret, SecretIndex, type SecretListener, SHORTEST_SECRET } from "./secret-index.ts";

/** Stands in a text for a secret that was there. */
export const SECRET_MARK = "[secret]";

/** How many encodings may be on top of each other, as in a URL in base64. */
const DEEPEST = 2;

/** A set of secrets, which finds them in texts and takes them out: also where they are escaped or encoded. */
export class SecretSet {
  readonly #index = new SecretIndex();
  /** How often each value was added: two owners may have the same one. */
  readonly #counts = new Map<string, number>();

  /** How many different values are looked for. */
  get size(): number {
    return this.#counts.size;
  }

  /** Looks for a value from now on, unless it is too short. Returns a function that ends it. */
  add(given: string): () => void {
    // Blanks around a value are often lost on the way.
    const value = given.trim();
    if (value.length < SHORTEST_SECRET) return () => undefined;
    const count = this.#counts.get(value) ?? 0;
    this.#counts.set(value, count + 1);
    if (count === 0) this.#index.add(value);
    let isAdded = true;
    return () => {
      if (isAdded) this.#remove(value);
      isAdded = false;
    };
  }

  /** The text with `[secret]` in place of each secret, but for those of `known`. */
  clear(text: string, known?: ReadonlySet<IndexedSecret>): string {
    const spans: Span[] = [];
    this.#search(text, DEEPEST, (secret, from, to) => {
      if (known?.has(secret) !== true) spans.push({ from, to });
    });
    return spans.length === 0 ? text : replaceSpans(text, spans);
  }

  /** The secrets in a text. */
  in(text: string): ReadonlySet<IndexedSecret> {
    const found = new Set<IndexedSecret>();
    this.#search(text, DEEPEST, (secret) => found.add(secret));
    return found;
  }

  /** The secrets in binary data: in texts that are in it as UTF-8 or UTF-16. */
  inBytes(bytes: Uint8Array): ReadonlySet<IndexedSecret> {
    const found = new Set<IndexedSecret>();
    if (this.size === 0) return found;
    for (const text of textsOfBytes(bytes, this.#index.shortest)) {
      this.#search(text, DEEPEST - 1, (secret) => found.add(secret));
    }
    return found;
  }

  #remove(value: string): void {
    const count = this.#counts.get(value) ?? 0;
    if (count > 1) {
      this.#counts.set(value, count - 1);
      return;
    }
    this.#counts.delete(value);
    this.#index.remove(value);
  }

  #search(text: string, depth: number, listener: SecretListener): void {
    if (text.length < this.#index.shortest || this.size === 0) return;
    this.#index.find(text, listener);
    if (depth === 0) return;
    for (const { text: inner, starts } of unescapedTexts(text)) {
      this.#search(inner, depth - 1, (secret, from, to) => listener(secret, starts[from] ?? 0, starts[to] ?? 0));
    }
    for (const { from, to, texts } of encodedRuns(text, this.#index.shortest)) {
      for (const inner of texts) this.#search(inner, depth - 1, (secret) => listener(secret, from, to));
    }
  }
}

/** A part of a text, from (inclusive) to (exclusive). */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Parts that overlap become one mark. */
function replaceSpans(text: string, spans: Span[]): string {
  spans.sort((one, other) => one.from - other.from);
  let cleared = "";
  let end = 0;
  for (const { from, to } of spans) {
    if (from >= end) cleared += text.slice(end, from) + SECRET_MARK;
    end = Math.max(end, to);
  }
  return cleared + text.slice(end);
}
