/** Calls to one origin: a number of them is under way, and a number waits. */
export class WaitingLine<T> {
  readonly #limit: number;
  readonly #maxWaiting: number;
  #busy = 0;
  /** In the order of their arrival. */
  readonly #waiting = new Set<T>();

  constructor(limit: number, maxWaiting: number) {
    this.#limit = limit;
    this.#maxWaiting = maxWaiting;
  }

  /** A call arrives: it may begin, has to wait, or there is no room for it. */
  enter(call: T): "begin" | "wait" | "full" {
    if (this.#busy < this.#limit) {
      this.#busy += 1;
      return "begin";
    }
    if (this.#waiting.size >= this.#maxWaiting) return "full";
    this.#waiting.add(call);
    return "wait";
  }

  /** A call is over. Returns the next one, which may now begin. */
  leave(): T | undefined {
    const [next] = this.#waiting;
    if (next === undefined) this.#busy -= 1;
    else this.#waiting.delete(next);
    return next;
  }

  /** A call does not want to wait any more. Returns whether it did wait. */
  giveUp(call: T): boolean {
    return this.#waiting.delete(call);
  }
}
