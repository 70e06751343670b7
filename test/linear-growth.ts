/**
 * Finds out whether work grows in proportion to its input, for code that cannot count its steps: the platform's own regular
 * expressions and string functions, and loops that have no budget.
 *
 * Why it does not depend on how busy the machine is:
 *
 * - It takes the processor time of this process. Time that others had does not count.
 * - Whatever else disturbs a run (a garbage collection, a cold cache, the compiler) makes it longer, never shorter. So the
 *   shortest of several runs counts, and only where a run is too long is it repeated.
 * - From one size to the next the input grows 16-fold. Linear work then takes 16 times as long, quadratic work 256 times. The
 *   limit is in the middle, 64 times: linear work would have to become four times slower per item in every single run.
 * - A run below a millisecond is not judged by its predecessor but taken for a millisecond, so that no ratio of two very
 *   small numbers decides.
 */
import { expect } from "vitest";

const GROWTH = 16;
const MAX_RATIO = 64;

/** Below this, in milliseconds, processor time says more about the clock than about the work. */
const SHORTEST = 1;

/** How often a run that takes too long is repeated, and how many milliseconds it may take in all to find out. */
const MAX_RUNS = 8;
const MAX_TOTAL = 5_000;

/** How large inputs become, unless a test says otherwise: in characters or items, whatever `make` counts by. */
const LARGEST = 262_144;

/**
 * Fails unless `work` takes time in proportion to the size of its input. `make` makes an input of a size, which does not count
 * as work. Inputs grow 16-fold twice, up to `largest`.
 */
export function expectLinear<T>(
  title: string,
  make: (size: number) => T,
  work: (input: T) => unknown,
  largest: number = LARGEST,
): void {
  let before = Infinity;
  for (const size of [largest / GROWTH / GROWTH, largest / GROWTH, largest].map(Math.ceil)) {
    const input = make(size);
    const limit = MAX_RATIO * Math.max(before, SHORTEST);
    const time = measure(() => work(input), limit);
    if (time > limit) {
      const growth = `${before.toFixed(1)} ms for ${Math.ceil(size / GROWTH)}, ${time.toFixed(1)} ms for ${size}`;
      expect.fail(`${title} takes more than linear time: ${growth}`);
    }
    before = time;
  }
}

/** Shorter than any machine needs for the square of this size, even if it looks at 64 bytes in one step. */
const GLANCE_SIZE = 32_768;
const GLANCE_TIME = 1;

/** The same as {@link expectLinear} for thousands of inputs: looks closely only at those that a single run takes long for. */
export function expectAllLinear<T>(
  candidates: Iterable<readonly [title: string, make: (size: number) => T]>,
  work: (input: T) => unknown,
): void {
  for (const [title, make] of candidates) {
    const input = make(GLANCE_SIZE);
    if (measure(() => work(input), Infinity) > GLANCE_TIME) expectLinear(title, make, work);
  }
}

/** The processor time of the shortest run, in milliseconds. Runs are repeated only as long as they take too long. */
function measure(work: () => unknown, limit: number): number {
  let shortest = Infinity;
  let total = 0;
  for (let run = 0; run < MAX_RUNS && total < MAX_TOTAL; run++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    const time = (user + system) / 1_000;
    shortest = Math.min(shortest, time);
    total += time;
    // Twice at least, as the first run pays for what the platform does only once.
    if (run > 0 && shortest <= limit) break;
  }
  return shortest;
}
