/** Counts turns of the event loop, for work that is better done once per turn. */
export class Turns {
  readonly #schedule: (callback: () => void) => void;
  readonly #atEnd: (() => void)[] = [];
  #isScheduled = false;
  #number = 0;

  /** `schedule` runs a callback at the end of a turn: `setImmediate`. */
  constructor(schedule: (callback: () => void) => void) {
    this.#schedule = schedule;
  }

  /** The number of this turn. */
  get now(): number {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#schedule(this.#end);
    }
    return this.#number;
  }

  /** Does something when this turn ends. */
  atEnd(work: () => void): void {
    this.#atEnd.push(work);
  }

  readonly #end = (): void => {
    this.#isScheduled = false;
    this.#number += 1;
    for (const work of this.#atEnd.splice(0)) work();
  };
}
