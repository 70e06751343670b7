/** How long to wait for a first sign of somebody, and after each key they press, in milliseconds. */
const FIRST_KEY_MS = 3000;
const NEXT_KEY_MS = 20_000;

/** How long somebody is waited for at most, in milliseconds. */
const MOST_MS = 60_000;

/** Waits for a person as long as they seem to be there. */
export class Patience {
  static readonly seconds: number = FIRST_KEY_MS / 1000;
  readonly #end = new AbortController();
  readonly #latest = setTimeout(() => this.#end.abort(), MOST_MS);
  #timer = setTimeout(() => this.#end.abort(), FIRST_KEY_MS);
  readonly #onKey = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end.abort(), NEXT_KEY_MS);
  };

  constructor() {
    process.stdin.on("keypress", this.#onKey);
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Stops waiting. */
  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#latest);
    process.stdin.off("keypress", this.#onKey);
  }
}
