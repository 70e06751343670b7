import { createHash } from "node:crypto";

/** A program that Redis runs in one step. It is sent once, and named by its hash from then on. */
export class Script {
  readonly #text: string;
  readonly #hash: string;

  constructor(text: string) {
    this.#text = text;
    this.#hash = createHash("sha1").update(text).digest("hex");
  }

  /** The command that runs it. `isKnown` is false if the engine has said that it has no script of this hash. */
  command(keys: readonly string[], parameters: readonly (string | number)[], isKnown: boolean): string[] {
    const [name, what] = isKnown ? ["EVALSHA", this.#hash] : ["EVAL", this.#text];
    return [name, what, String(keys.length), ...keys, ...parameters.map(String)];
  }
}
