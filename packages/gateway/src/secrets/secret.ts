import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { SECRET_MARK } from "@toolwire/protocol/internal";

export { SECRET_MARK };

/** A value that must not be seen, such as an API key. Printing, logging or serialising it gives `[secret]`. */
export class Secret {
  static {
    Object.defineProperty(this.prototype, inspect.custom, { value: () => SECRET_MARK });
  }

  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it where the value is needed, and nowhere else. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SECRET_MARK;
  }

  toJSON(): string {
    return SECRET_MARK;
  }
}

/** The SHA-256 of a secret, in base64url: the secret can be recognised by it, and not be read from it. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
