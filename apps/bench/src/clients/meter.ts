/** Counts answers within a stretch of time. */
import type { Throughput, Window } from "../load/load.ts";

const CLOCK_INTERVAL = 16;
const SAMPLING_INTERVAL = 101;

/**
 * Looks at the clock every few answers and, in case there are none, when a timer fires. A timer alone would not do: calls
 * in memory never leave the microtask queue, and no timer fires until they stop.
 */
export class Meter {
  readonly result: Promise<Throughput>;
  readonly #window: Window;
  readonly #timers: NodeJS.Timeout[];
  readonly #begin = performance.now();
  #finish!: (result: Throughput) => void;
  #answers = 0;
  #answersBefore = 0;
  #start: number | undefined;
  #isOver = false;

  constructor(window: Window) {
    this.#window = window;
    this.result = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const look = (): void => this.#look();
    this.#timers = [
      setTimeout(look, window.settleMs + 1),
      setTimeout(look, window.settleMs + window.ms + 2),
      // Timers may be early by a millisecond.
      setTimeout(look, window.settleMs + window.ms + 20),
    ];
  }

  /** Whether no more calls are wanted. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Counts an answer and says whether it is one of those to be checked in full. */
  count(): boolean {
    this.#answers++;
    if (this.#answers % CLOCK_INTERVAL === 0) this.#look();
    return this.#answers % SAMPLING_INTERVAL === 0;
  }

  #look(): void {
    if (this.#isOver) return;
    const now = performance.now();
    if (this.#start === undefined) {
      if (now - this.#begin < this.#window.settleMs) return;
      this.#start = now;
      this.#answersBefore = this.#answers;
    }
    const ms = now - this.#start;
    if (ms < this.#window.ms) return;
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#finish({ calls: this.#answers - this.#answersBefore, ms });
  }
}
