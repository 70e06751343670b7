import { SECRET_MARK } from "./secret.ts";
import { toUSVString } from "node:util";
import { buildAutomaton, type Automaton } from "./automaton.ts";

/** Values that are shorter are not looked for: they would be found in texts that have nothing to do with them. */
export const SHORTEST_REDACTED = 8;
/** Texts are cut to their limits, perhaps in the middle of a secret: so many characters of it are not shown either. */
const SHORTEST_START = 6;
/** The longest secret that is kept, and that is looked for in full: four times the length of a long private key. */
export const LONGEST_SECRET = 16_384;

/**
 * Takes secrets out of texts: the values themselves, and their base64, base64url, URL-encoded and JSON-escaped forms. The
 * work is linear in the text, however many secrets there are.
 */
export class Redactor {
  /** How often each value was added: two owners may have the same one. */
  readonly #values = new Map<string, number>();
  #automaton: Automaton | undefined;

  /** Looks for this value from now on. Returns a function that ends it, for a secret that was changed. */
  add(value: string): () => void {
    if (value.length < SHORTEST_REDACTED) return () => undefined;
    this.#values.set(value, (this.#values.get(value) ?? 0) + 1);
    this.#automaton = undefined;
    let isAdded = true;
    return () => {
      if (isAdded) this.#remove(value);
      isAdded = false;
    };
  }

  /** The text with `[secret]` in place of each secret, and of a secret that is cut off at its end. */
  redact(text: string): string {
    if (this.#values.size === 0 || text.length < SHORTEST_START) return text;
    if (text.endsWith("…")) return `${this.redact(text.slice(0, -1))}…`;
    this.#automaton ??= buildAutomaton([...this.#values.keys()].flatMap(writtenForms));
    const spans = this.#automaton.find(text, SHORTEST_START);
    if (spans.length === 0) return text;
    let redacted = "";
    let end = 0;
    for (const span of spans) {
      redacted += text.slice(end, span.from) + SECRET_MARK;
      end = span.to;
    }
    return redacted + text.slice(end);
  }

  #remove(value: string): void {
    const count = this.#values.get(value) ?? 0;
    if (count > 1) this.#values.set(value, count - 1);
    else this.#values.delete(value);
    this.#automaton = undefined;
  }
}

/** The forms in which a value shows up: as it is, in URLs, in JSON, in base64, and in base64 after other characters (Basic). */
function writtenForms(value: string): readonly string[] {
  const secret = toUSVString(value.slice(0, LONGEST_SECRET));
  const forms = [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll("%20", "+"),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    ...base64Forms(secret),
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_REDACTED);
}

/**
 * Base64 encodes three bytes at a time, so the same value looks different after one or two other bytes: in `user:password`,
 * the place of the password depends on the length of the name. Only the characters that the value alone decides are kept.
 */
function* base64Forms(value: string): Generator<string> {
  const bytes = Buffer.from(value);
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const decidedFrom = Math.ceil((before * 8) / 6);
    const decidedTo = Math.floor(((before + bytes.length) * 8) / 6);
    const form = encoded.slice(decidedFrom, decidedTo);
    yield form;
    yield form.replaceAll("+", "-").replaceAll("/", "_");
    yield encodeURIComponent(form);
  }
}
