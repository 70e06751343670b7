import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { CookieSeal } from "../../storage/storage.ts";

/** A login that was begun: the values that the response must fit. */
export interface BegunLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The view to show afterwards: a path of the page. */
  readonly next: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keeps a login that was begun in a cookie of the browser, sealed by all gateways or with a key of this process. So nobody can fill the
 * memory of the gateway with logins, and no other browser can end a login.
 */
export class LoginCookies {
  readonly #seal: CookieSeal;

  constructor(seal: CookieSeal = sealOfProcess()) {
    this.#seal = seal;
  }

  seal(login: BegunLogin): string {
    return this.#seal.seal(JSON.stringify(login));
  }

  /** The login in a cookie; `undefined` if it is not one that was sealed here. */
  open(text: string): BegunLogin | undefined {
    const plain = this.#seal.open(text);
    return plain === undefined ? undefined : (JSON.parse(plain) as BegunLogin);
  }
}

/** Seals with a key that ends with the process. */
function sealOfProcess(): CookieSeal {
  const key = randomBytes(32);
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
    },
    open(text) {
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return undefined;
      }
    },
  };
}
