import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals what goes through notifications. Tables have permissions, but every role that may connect to the database may listen and
 * notify on every channel: nobody without the secret, which is in a table, can read messages, forge one, or move it to another channel.
 */
export class Seal {
  readonly #key: Buffer;

  /** 64 hexadecimal digits. */
  constructor(secret: string) {
    this.#key = Buffer.from(secret, "hex");
  }

  close(text: string, channel: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(channel));
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
  }

  /** `undefined` if somebody without the secret has made it, or for another channel. */
  open(sealed: string, channel: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const end = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(channel)).setAuthTag(bytes.subarray(end));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }
}
