import { isObject } from "@toolwire/protocol/internal";
import type { Codec, Entry } from "./numbered-files.ts";

/** The bytes at random before each text that is encrypted. */
const IV_BYTES = 12;

/**
 * Writes the values of one key of a store as JSON, encrypted if there is an encryption key (AES-256-GCM). A file that is damaged,
 * that another encryption key has written, or that belongs to another key of the store is reported by `unreadable`.
 */
export function fileCodec(name: string, key: Promise<CryptoKey> | undefined, unreadable: () => Error): Codec {
  return {
    async encode(entry) {
      const plain = new TextEncoder().encode(JSON.stringify({ ...entry, key: name }));
      if (key === undefined) return plain;
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key, plain);
      return Buffer.concat([iv, new Uint8Array(sealed)]);
    },
    async decode(bytes) {
      try {
        const plain = key === undefined ? bytes : await decrypt(await key, Uint8Array.from(bytes));
        const entry = readEntry(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain)), name);
        if (entry !== undefined) return entry;
      } catch {
        // The cause may quote the file.
      }
      throw unreadable();
    },
  };
}

async function decrypt(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const iv = bytes.subarray(0, IV_BYTES);
  return crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes.subarray(IV_BYTES));
}

function readEntry(content: unknown, name: string): Entry | undefined {
  if (!isObject(content) || content["key"] !== name) return undefined;
  const { version, history, value } = content;
  if (typeof version !== "string" || !Array.isArray(history)) return undefined;
  if (!history.every((one): one is string => typeof one === "string")) return undefined;
  return { version, history, ...(value !== undefined && { value }) };
}

/** Makes the key that files are encrypted with. It cannot be read from this program again. */
export function importFileKey(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", Uint8Array.from(key), "AES-GCM", false, ["encrypt", "decrypt"]);
}
