/** After how many milliseconds a count of sessions is too old. */
const COUNT_AFTER = 5000;

/** How many sessions a node may create without counting again, as a share of those that there may be. */
const UNCOUNTED_SHARE = 0.01;

/**
 * Knows whether there is room for another session without counting all of them each time, which takes the longer the more there are.
 * Each node may be wrong by a hundredth of what is allowed.
 */
export class RoomEstimate {
  readonly #now: () => number;
  #counted = 0;
  #countedAt = -Infinity;
  #created = 0;

  /** `now` is a clock that returns milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the sessions have to be counted before another one is created. */
  needsCount(max: number): boolean {
    return (
      this.#now() - this.#countedAt >= COUNT_AFTER ||
      this.#created >= max * UNCOUNTED_SHARE ||
      this.#counted + this.#created >= max
    );
  }

  /** Notes how many sessions there were. */
  counted(count: number): void {
    this.#counted = count;
    this.#countedAt = this.#now();
    this.#created = 0;
  }

  /** Notes that this node has created a session. */
  created(): void {
    this.#created += 1;
  }
}
