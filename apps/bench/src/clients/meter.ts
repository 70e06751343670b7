/** Counts answers within a stretch of time. */
import { FEWEST_ANSWERS, MOST_STEPS, type Throughput, type Window } from "../load/load.ts";

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
    const ends = Array.from({ length: MOST_STEPS }, (_, step) => window.settleMs + (step + 1) * window.ms + 2);
    // Timers may be early by a millisecond.
    const times = [window.settleMs + 1, ...ends.flatMap((end) => [end, end + 18])];
    this.#timers = times.map((time) => setTimeout(look, time));
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
    const isEnough = this.#answers - this.#answersBefore >= FEWEST_ANSWERS;
    if (ms < (isEnough ? 1 : MOST_STEPS) * this.#window.ms) return;
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#finish({ calls: this.#answers - this.#answersBefore, ms });
  }
}
