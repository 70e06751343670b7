import { defaultShare } from "../bindings/admission/callers.ts";

const MINUTE = 60_000;

/** Limits how many requests are answered in a minute: all together, and those of one network. */
export class RequestRate {
  readonly #max: number;
  readonly #share: number;
  /** Has no more entries than requests are answered in a minute. */
  readonly #byNetwork = new Map<string, number>();
  #count = 0;
  #end = -Infinity;

  constructor(max: number) {
    this.#max = max;
    this.#share = defaultShare(max);
  }

  /**
   * Counts a request. Returns 0 if it may be answered, or the seconds until the next one may. `network` is `undefined` for callers that
   * cannot be told apart.
   */
  take(network: string | undefined, now: number = performance.now()): number {
    if (this.#max === Infinity) return 0;
    if (now >= this.#end) {
      this.#byNetwork.clear();
      this.#count = 0;
      this.#end = now + MINUTE;
    }
    const own = network === undefined ? 0 : (this.#byNetwork.get(network) ?? 0);
    if (this.#count >= this.#max || own >= this.#share) return Math.max(1, Math.ceil((this.#end - now) / 1000));
    this.#count += 1;
    if (network !== undefined) this.#byNetwork.set(network, own + 1);
    return 0;
  }
}
