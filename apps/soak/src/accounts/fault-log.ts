import { endsServer, type FaultRecord } from "./history.ts";

/** How long the news of a fault may take to reach a client, in milliseconds. */
const NEWS_MS = 250;

/** The faults of one cell, which come one after the other. Finds those of a moment without a look at all of them. */
export class FaultLog {
  readonly #faults: readonly FaultRecord[];

  constructor(faults: readonly FaultRecord[]) {
    this.#faults = faults.toSorted((one, other) => one.from - other.from);
  }

  /** How many ended the server. */
  get restarts(): number {
    return this.#faults.filter(endsServer).length;
  }

  /** How many ended connections only. */
  get cuts(): number {
    return this.#faults.length - this.restarts;
  }

  /** The faults that a call can have felt which began and settled at these times, the latest first. */
  during(begun: number, settled: number): FaultRecord[] {
    const found: FaultRecord[] = [];
    for (let index = this.#countUntil(settled) - 1; index >= 0; index--) {
      const fault = this.#faults[index]!;
      if (fault.to + NEWS_MS < begun) break;
      found.push(fault);
    }
    return found;
  }

  /** How many began at this time or before. */
  #countUntil(time: number): number {
    let [low, high] = [0, this.#faults.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#faults[middle]!.from <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
