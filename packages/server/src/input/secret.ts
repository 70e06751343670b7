import { UsageError } from "@toolwire/protocol";

/** A key, as text or bytes: at least 32 random bytes. */
export type Secret = string | Uint8Array;

/** The bytes of a key. `Uint8Array` is generic from TypeScript 5.7 on, and users of older versions compile this, too. */
type KeyBytes = ReturnType<TextEncoder["encode"]>;

const MIN_BYTES = 32;

/** The bytes of each key that was given. Refuses keys that are short enough to be guessed, and a list without any. */
export function readSecrets(given?: Secret | readonly Secret[]): readonly KeyBytes[] {
  if (given === undefined) return [];
  const keys = [given].flat().map(toBytes);
  if (keys.length > 0 && keys.every(({ length }) => length >= MIN_BYTES)) return keys;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `\`stateKey\` is too short: give at least ${MIN_BYTES} random bytes, as from \`openssl rand -base64 32\`.`,
  );
}

/** None for what is no key: a number would be taken for a length, and make a key of so many zeros. */
function toBytes(secret: unknown): KeyBytes {
  if (typeof secret === "string") return new TextEncoder().encode(secret);
  return new Uint8Array(secret instanceof Uint8Array ? secret : []);
}
