import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { UsageError } from "@toolwire/protocol";

/** A key that wraps the data keys of secrets. */
export interface SealingKey {
  /** Names the key in the database, so that the right one is found after a rotation. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Reads the sealing keys of a gateway, as in `TOOLWIRE_GATEWAY_KEYS`: `id:key` for each, separated by commas or lines, where a
 * key is 32 bytes in base64, base64url or hexadecimal; or `file:path` of a file with the same contents. The first key seals,
 * all of them open, so a new key is put in front and the old ones stay until everything is sealed anew.
 */
export function readSealingKeys(text: string): readonly SealingKey[] {
  const trimmed = text.trim();
  const list = trimmed.startsWith("file:") ? readKeyFile(trimmed.slice("file:".length)) : trimmed;
  const entries = list
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "" && !entry.startsWith("#"));
  const keys = entries.map((entry, index) => readKey(entry, index + 1));
  const twice = keys.find((key, index) => keys.findIndex(({ id }) => id === key.id) !== index);
  if (twice !== undefined) {
    throw new UsageError("DUPLICATE_NAME", `Two sealing keys have the id ${twice.id}. Give each an id of its own.`);
  }
  if (keys.length === 0) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "The list of sealing keys is empty. Each entry is id:key, as in k1:BASE64.",
    );
  }
  return keys;
}

/** Makes a key, as text for `TOOLWIRE_GATEWAY_KEYS`. Its id is the day on which it was made, and something random. */
export function createSealingKey(now: number = Date.now()): string {
  const day = new Date(now).toISOString().slice(0, 10);
  return `k${day}-${randomBytes(3).toString("hex")}:${randomBytes(32).toString("base64url")}`;
}

/** Whether others than the owner can read a file. */
export function isReadableByOthers(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError("INVALID_ARGUMENT", `The file with the sealing keys, ${path}, cannot be read.`, {
      cause: error,
    });
  }
}

/** Errors name the place of a key and its id, never the key. */
function readKey(entry: string, place: number): SealingKey {
  const colon = entry.indexOf(":");
  const id = entry.slice(0, Math.max(0, colon));
  if (!ID.test(id)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `Sealing key ${place} has no id. Write id:key, where the id has 1 to 64 letters, digits, hyphens and underscores.`,
    );
  }
  const text = entry.slice(colon + 1).trim();
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  if (bytes.length !== 32 || !/^[A-Za-z0-9+/_-]+=*$/.test(text)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `Sealing key ${place} (${id}) must be 32 bytes in base64 or hexadecimal, such as the output of: openssl rand -base64 32`,
    );
  }
  return { id, bytes };
}
