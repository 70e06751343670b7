import { AuthError } from "@toolwire/protocol";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** How many attempts may be of no use before the next one has to wait. */
interface BreakerOptions {
  readonly attempts: number;
  /** The words for what is attempted, as in "token requests". */
  readonly what: string;
}

/**
 * Bounds attempts that are of no use: tokens that are refused, logins that fail. After some of them, each further one has to
 * wait, twice as long every time. An attempt that was of use resets it.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #now: () => number;
  #futile = 0;
  #opensAt = 0;
  #reason: Error | undefined;

  constructor(options: BreakerOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Throws if the next attempt has to wait. */
  check(): void {
    const wait = this.#opensAt - this.#now();
    if (this.#futile < this.#options.attempts || wait <= 0) return;
    const seconds = Math.ceil(wait / 1000);
    const message = `${this.#futile} ${this.#options.what} in a row were of no use, so the next one waits ${seconds} s.`;
    throw new AuthError("TEMPORARY", `${message} ${this.#reason?.message ?? ""}`.trim(), { cause: this.#reason });
  }

  /** An attempt is made. It counts as of no use until the opposite is known. */
  attempted(): void {
    this.#futile += 1;
    const beyond = Math.max(this.#futile - this.#options.attempts, 0);
    this.#opensAt = this.#now() + Math.min(FIRST_WAIT_MS * 2 ** Math.min(beyond, 16), LONGEST_WAIT_MS);
  }

  /** The reason why the last attempt was of no use. */
  failed(reason: Error): void {
    this.#reason = reason;
  }

  /** Makes the next attempt wait at once, whatever the number of attempts is. */
  open(reason: Error): void {
    this.#futile = Math.max(this.#futile, this.#options.attempts);
    this.attempted();
    this.#reason = reason;
  }

  /** An attempt was of use. */
  reset(): void {
    this.#futile = 0;
    this.#reason = undefined;
  }
}
