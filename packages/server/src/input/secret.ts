import { UsageError } from "@toolwire/protocol";

/** A key, as text or bytes: at least 32 bytes that nobody can guess. */
export type Secret = string | Uint8Array;

const MIN_BYTES = 32;

/** The bytes of each key that was given. Refuses keys that are short enough to be guessed. */
export function readSecrets(given: Secret | readonly Secret[] = []): readonly Uint8Array<ArrayBuffer>[] {
  const secrets = typeof given === "string" || given instanceof Uint8Array ? [given] : given;
  return secrets.map((secret) => {
    const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : new Uint8Array(secret);
    if (bytes.length >= MIN_BYTES) return bytes;
    throw new UsageError(
      "INVALID_ARGUMENT",
      `\`stateKey\` is too short: give at least ${MIN_BYTES} random bytes, for example from \`openssl rand -base64 32\`.`,
    );
  });
}
