import { UsageError } from "@toolwire/protocol";
import type { Secret } from "../define/options.ts";
import type { Definition } from "../registry/definition.ts";
import { fromBase64Url, toBase64Url } from "../content/binary.ts";

/** JSON that is the same for equal values, whatever the order of their members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** The bytes of a key. `Uint8Array` is generic from TypeScript 5.7 on, and users of older versions compile this, too. */
type KeyBytes = ReturnType<TextEncoder["encode"]>;

const MIN_BYTES = 32;

/** The bytes of each key that was given. Refuses keys that are short enough to be guessed, and a list without any. */
export function readSecrets(given?: Secret | readonly Secret[], option = "stateKey"): readonly KeyBytes[] {
  if (given === undefined) return [];
  const keys = [given].flat().map(toBytes);
  if (keys.length > 0 && keys.every(({ length }) => length >= MIN_BYTES)) return keys;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `\`${option}\` is too short: give at least ${MIN_BYTES} random bytes, as from \`openssl rand -base64 32\`.`,
  );
}

/** The bytes of one key. Empty for other values: a number would be taken for a length, and make a key of zeros. */
function toBytes(secret: unknown): KeyBytes {
  if (typeof secret === "string") return new TextEncoder().encode(secret);
  return new Uint8Array(secret instanceof Uint8Array ? secret : []);
}

const IV_BYTES = 12;
const KEY_BYTES = 32;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Seals state that travels through a client (2026-07-28, "Multi Round-Trip Requests"): AES-256-GCM, so that it can be
 * neither read nor changed. It opens only in the context that it was sealed for, and until it expires.
 */
export class StateSeal {
  readonly #secrets: readonly Uint8Array[];
  readonly #ttlMs: number;
  #keys: Promise<CryptoKey[]> | undefined;

  /** Seals with the first secret and opens with any; without one, a random one is made when it is needed. */
  constructor(secrets: readonly Uint8Array[], ttlMs: number) {
    this.#secrets = secrets;
    // JSON has no `Infinity`.
    this.#ttlMs = Math.min(ttlMs, Number.MAX_SAFE_INTEGER);
  }

  /** Seals a JSON value. */
  async seal(value: unknown, context: string, now: number = Date.now()): Promise<string> {
    const [key] = await this.#loadKeys();
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const plain = encoder.encode(JSON.stringify({ expires: now + this.#ttlMs, value }));
    const additionalData = encoder.encode(context);
    const sealed = new Uint8Array(
      await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key as CryptoKey, plain),
    );
    const bytes = new Uint8Array(IV_BYTES + sealed.length);
    bytes.set(iv);
    bytes.set(sealed, IV_BYTES);
    return toBase64Url(bytes);
  }

  /** Opens text of {@link seal} for the same context. Returns `undefined` for other text, and if it has expired. */
  async open(
    text: string,
    context: string,
    now: number = Date.now(),
  ): Promise<{ readonly value: unknown } | undefined> {
    const bytes = fromBase64Url(text);
    // The same bytes can be written as base64 in several ways. Only the canonical one is accepted.
    if (bytes === undefined || bytes.length <= IV_BYTES || toBase64Url(bytes) !== text) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const additionalData = encoder.encode(context);
    for (const key of await this.#loadKeys()) {
      try {
        const plain = await crypto.subtle.decrypt(
          { name: "AES-GCM", iv, additionalData },
          key,
          bytes.subarray(IV_BYTES),
        );
        const { expires, value } = JSON.parse(decoder.decode(plain)) as { expires: number; value: unknown };
        return expires > now ? { value } : undefined;
      } catch {
        // Sealed with another key, for another request, or tampered with.
      }
    }
    return undefined;
  }

  #loadKeys(): Promise<CryptoKey[]> {
    return (this.#keys ??= Promise.all(this.#listSecrets().map(importKey)));
  }

  /** Not in the constructor: workers of Cloudflare have no random values while their modules load. */
  #listSecrets(): readonly Uint8Array[] {
    return this.#secrets.length > 0 ? this.#secrets : [crypto.getRandomValues(new Uint8Array(KEY_BYTES))];
  }
}

async function importKey(secret: Uint8Array): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest("SHA-256", secret as BufferSource);
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}

const seals = new WeakMap<Definition, StateSeal>();

/** The seal of a server, made when its first question is asked. */
export function sealOf(definition: Definition): StateSeal {
  let seal = seals.get(definition);
  if (seal === undefined) {
    seal = new StateSeal(definition.listStateKeys(), definition.inputTimeout);
    seals.set(definition, seal);
  }
  return seal;
}
