import { UsageError } from "@toolwire/protocol";
import type { Secret } from "../define/options.ts";
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
/** The length of a key. */
export const KEY_BYTES = 32;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Seals state that travels through a client, so that it can be neither read nor changed. */
export interface Seal {
  /**
   * Seals a JSON value. It opens only in the same context, and until it expires.
   *
   * @throws ClusterError if the keys are those of a cluster, and cannot be read
   */
  seal(value: unknown, context: string, now?: number): Promise<string>;
  /**
   * Opens text of {@link seal} for the same context. Returns `undefined` for other text, and if it has expired.
   *
   * @throws Unavailable if the keys are those of a cluster, and cannot be read
   */
  open(text: string, context: string, now?: number): Promise<{ readonly value: unknown } | undefined>;
}

/** Seals a JSON value with a key (2026-07-28, "Multi Round-Trip Requests"): AES-256-GCM. */
export async function sealWith(key: CryptoKey, value: unknown, context: string, expires: number): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plain = encoder.encode(JSON.stringify({ expires, value }));
  const additionalData = encoder.encode(context);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain));
  const bytes = new Uint8Array(IV_BYTES + sealed.length);
  bytes.set(iv);
  bytes.set(sealed, IV_BYTES);
  return toBase64Url(bytes);
}

/** Reads the bytes of sealed text. The same bytes can be written as base64 in several ways: only the canonical one is accepted. */
export function readSealed(text: string): Uint8Array | undefined {
  const bytes = fromBase64Url(text);
  return bytes === undefined || bytes.length <= IV_BYTES || toBase64Url(bytes) !== text ? undefined : bytes;
}

/** Opens what {@link sealWith} has sealed. `undefined` if another key, another context or other hands had to do with it. */
export async function openWith(
  key: CryptoKey,
  bytes: Uint8Array,
  context: string,
): Promise<{ readonly expires: number; readonly value: unknown } | undefined> {
  try {
    const iv = bytes.slice(0, IV_BYTES);
    const additionalData = encoder.encode(context);
    const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, bytes.slice(IV_BYTES));
    return JSON.parse(decoder.decode(plain)) as { readonly expires: number; readonly value: unknown };
  } catch {
    return undefined;
  }
}

/** When text expires that is sealed now. JSON has no `Infinity`. */
export function expiryOf(now: number, ttlMs: number): number {
  return now + Math.min(ttlMs, Number.MAX_SAFE_INTEGER);
}

/** Seals with secrets that are given, or with one that this process makes. */
export class StateSeal implements Seal {
  readonly #secrets: readonly Uint8Array[];
  readonly #ttlMs: number;
  #keys: Promise<CryptoKey[]> | undefined;

  /** Seals with the first secret and opens with any; without one, a random one is made when it is needed. */
  constructor(secrets: readonly Uint8Array[], ttlMs: number) {
    this.#secrets = secrets;
    this.#ttlMs = ttlMs;
  }

  async seal(value: unknown, context: string, now: number = Date.now()): Promise<string> {
    const [key] = await this.#loadKeys();
    return sealWith(key as CryptoKey, value, context, expiryOf(now, this.#ttlMs));
  }

  async open(
    text: string,
    context: string,
    now: number = Date.now(),
  ): Promise<{ readonly value: unknown } | undefined> {
    const bytes = readSealed(text);
    if (bytes === undefined) return undefined;
    for (const key of await this.#loadKeys()) {
      const opened = await openWith(key, bytes, context);
      if (opened !== undefined) return opened.expires > now ? { value: opened.value } : undefined;
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

/** Makes a key of a secret. */
export async function importKey(secret: Uint8Array): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest("SHA-256", secret as BufferSource);
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}
