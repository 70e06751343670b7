import type { KeyStore } from "../../cluster/stores.ts";
import { ChosenSeal } from "../../input/server-seal.ts";

/** How long a nonce is accepted. */
export const NONCE_LIFETIME_MS = 300_000;
/** How long one nonce is handed out, to all callers. */
const SAME_FOR_MS = 10_000;
/** Nonces are sealed for this purpose: no other sealed text is one. */
const PURPOSE = "dpop-nonce";

/** Nonces of DPoP proofs (RFC 9449, section 9): the sealed time of their making, so that nothing has to be remembered. */
export class Nonces {
  readonly #seal: ChosenSeal;
  readonly #sharedKeys: () => KeyStore | undefined;
  #current = "";
  #currentFrom = -Infinity;

  /** Without `keys`, those that `sharedKeys` returns are used, if there are any. */
  constructor(keys: readonly Uint8Array[], sharedKeys: () => KeyStore | undefined = () => undefined) {
    this.#seal = new ChosenSeal(keys, NONCE_LIFETIME_MS);
    this.#sharedKeys = sharedKeys;
  }

  /** A nonce that was made at this time or later. */
  async issue(notBefore: number, now: number): Promise<string> {
    if (this.#currentFrom < notBefore || this.#currentFrom > now || now - this.#currentFrom >= SAME_FOR_MS) {
      const nonce = await this.#seal.choose(this.#sharedKeys()).seal(now, PURPOSE, now);
      this.#current = nonce;
      this.#currentFrom = now;
    }
    return this.#current;
  }

  /** When a nonce was made; `undefined` if it has expired or is none of ours. */
  async read(nonce: string, now: number): Promise<number | undefined> {
    const opened = await this.#seal.choose(this.#sharedKeys()).open(nonce, PURPOSE, now);
    return typeof opened?.value === "number" ? opened.value : undefined;
  }
}
