/** How often it beats, in milliseconds. */
const INTERVAL_MS = 1000;

/** A counter that goes up by itself while it is switched on: something to subscribe to. */
export class Heartbeat {
  #beats = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #listeners: (() => void)[] = [];

  get beats(): number {
    return this.#beats;
  }

  /** Calls the listener with every beat. */
  onBeat(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Switches it on or off, and says which. */
  toggle(): boolean {
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#beat(), INTERVAL_MS);
      // A beating heart alone is no reason for the process to go on.
      this.#timer.unref();
      return true;
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
    return false;
  }

  #beat(): void {
    this.#beats += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** The one of this program. */
export const heartbeat: Heartbeat = new Heartbeat();
