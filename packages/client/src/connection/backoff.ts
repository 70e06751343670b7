/** How to reconnect after a connection was lost. */
export interface ReconnectOptions {
  /** How many attempts to make before giving up for good. Default 10. */
  readonly attempts?: number | undefined;
  /**
   * The longest first delay in milliseconds. The limit doubles with each attempt; delays are random below it. Default
   * 250.
   */
  readonly delay?: number | undefined;
  /** The longest delay in milliseconds. Default 30 000. */
  readonly maxDelay?: number | undefined;
}

/** A connection that lasted this many milliseconds was good: a failure after it is counted as the first. */
const GOOD_AFTER = 5_000;

/**
 * Counts failures and spaces out the attempts that follow them. Delays are random below a growing limit, so that clients
 * that lost the same server at the same time do not all return at once.
 */
export class Backoff {
  readonly #attempts: number;
  readonly #delay: number;
  readonly #maxDelay: number;
  #failures = 0;
  #since = Infinity;

  constructor(options: ReconnectOptions | false = {}) {
    const { attempts = 10, delay = 250, maxDelay = 30_000 } = options === false ? { attempts: 0 } : options;
    this.#attempts = attempts;
    this.#delay = delay;
    this.#maxDelay = maxDelay;
  }

  /** Notes a success, which resets the count of failures if it lasts. */
  succeeded(): void {
    this.#since = performance.now();
  }

  /** Notes a failure. Returns the milliseconds to wait before the next attempt, or `undefined` to give up. */
  failed(): number | undefined {
    if (performance.now() - this.#since > GOOD_AFTER) this.#failures = 0;
    this.#since = Infinity;
    if (++this.#failures > this.#attempts) return undefined;
    return Math.random() * Math.min(this.#delay * 2 ** (this.#failures - 1), this.#maxDelay);
  }
}
