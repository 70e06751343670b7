import { clearingOf, SecretSet, type Clearing } from "@toolwire/protocol/internal";
import { SECRET_MARK } from "./secret.ts";

/** The longest secret that is stored: four times the length of a long private key. */
export const LONGEST_SECRET = 16_384;

/** How many tokens of late are looked for. They come and go with logins, and nobody says which of them is still good. */
const MOST_TOKENS = 10_000;

/** API keys of the gateway are kept nowhere, but can be told by their form. */
const API_KEY = /\btwk_[\w-]{43}/g;

/**
 * The register of everything that must not be seen: stored secrets, values of references, literal credentials, keys, tokens. What the
 * operator sees is cleared of all of them: the log, events, health, the admin API. What callers see is cleared of the secrets of their
 * call alone, because a text that changes with a secret of somebody else would tell something of it.
 */
export class Redactor {
  readonly #secrets = new SecretSet();
  readonly #clearing: Clearing = clearingOf(this.#secrets);
  /** The tokens, the oldest first, each with a function that ends the search for it. */
  readonly #tokens = new Map<string, () => void>();

  /** Looks for this value from now on. Returns a function that ends it, for a secret that was changed. */
  add(value: string): () => void {
    return this.#secrets.add(value);
  }

  /** Looks for a token until many others have come. */
  note(token: string): void {
    const release = this.#tokens.get(token) ?? this.#secrets.add(token);
    this.#tokens.delete(token);
    this.#tokens.set(token, release);
    if (this.#tokens.size <= MOST_TOKENS) return;
    const [oldest] = this.#tokens;
    oldest?.[1]();
    this.#tokens.delete(oldest?.[0] ?? "");
  }

  /** The text with `[secret]` in place of each secret. */
  redact(text: string): string {
    return this.#clearing.text(text.includes("twk_") ? text.replaceAll(API_KEY, SECRET_MARK) : text);
  }

  /** The same for all texts of a value that is JSON. */
  redactValue<T>(value: T): T {
    return this.#clearing.value(value);
  }
}
