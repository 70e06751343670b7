/**
 * Finds out whether work grows in proportion to its input, for code that cannot count its steps: the platform's own regular
 * expressions and string functions, and loops that have no budget.
 *
 * Why it does not depend on how busy the machine is:
 *
 * - It takes the processor time of this process. Time that others had does not count.
 * - Whatever else disturbs a run (a garbage collection, a cold cache, the compiler) makes it longer, never shorter. So a run
 *   that takes too long is repeated, and the shortest one counts.
 * - From one size to the next the input grows 16-fold. Linear work then takes 16 times as long, quadratic work 256 times. The
 *   limit is in the middle, 64 times: linear work would have to become four times slower per item in every single run.
 * - A time below a millisecond is taken for a millisecond, so that no ratio of two very small numbers decides.
 */
const GROWTH = 16;
const SLACK = 4;

/** Below this, in milliseconds, processor time says more about the clock than about the work. */
const SHORTEST = 1;

/** How often a run is repeated, and how many milliseconds that may take in all. */
const MAX_RUNS = 5;
const MAX_TOTAL = 5_000;

/** How large inputs become, unless a test says otherwise: in characters or items, whatever `make` counts by. */
const LARGEST = 262_144;

/**
 * Says by how much the time that `work` takes grows faster than its input, if it does. `make` makes an input of a size, which
 * does not count as work. Inputs grow 16-fold twice, up to `largest`.
 *
 * Where `work` returns a number, it is that of the steps it has counted. Time may then grow with the steps as well: what is
 * tested is that nothing goes uncounted.
 */
export function findExcess<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  largest: number = LARGEST,
): string | undefined {
  let before = { time: Infinity, steps: 1 };
  for (const size of [largest / GROWTH / GROWTH, largest / GROWTH, largest].map(Math.ceil)) {
    const input = make(size);
    const steps = Number(work(input)) || 1;
    const limit = SLACK * Math.max(before.time, SHORTEST) * Math.max(GROWTH, steps / before.steps);
    // What the next one is compared with has to be exact: a run that was disturbed would hide how much longer that takes.
    const time = measure(() => work(input), size === largest ? limit : 0);
    if (time > limit) {
      return `${before.time.toFixed(1)} ms for ${Math.ceil(size / GROWTH)}, ${time.toFixed(1)} ms for ${size}`;
    }
    before = { time, steps };
  }
  return undefined;
}

/** The square of this size takes any machine longer than this many milliseconds, even at 64 bytes in one step. */
const GLANCE_SIZE = 32_768;
const GLANCE_TIME = 1;

/** The same as {@link findExcess} for thousands of inputs: looks closely only at those that a short run does not clear. */
export function findFirstExcess<T>(
  candidates: Iterable<readonly [title: string, make: (size: number) => T]>,
  work: (input: T) => unknown,
): string | undefined {
  for (const [title, make] of candidates) {
    const input = make(GLANCE_SIZE);
    const isSuspect = measure(() => work(input), GLANCE_TIME, 2) > GLANCE_TIME;
    const excess = isSuspect ? findExcess(make, work) : undefined;
    if (excess !== undefined) return `${title}: ${excess}`;
  }
  return undefined;
}

/** The processor time of a run that is short enough, or else of the shortest of several, in milliseconds. */
export function measure(work: () => unknown, limit: number, maxRuns: number = MAX_RUNS): number {
  let shortest = Infinity;
  let total = 0;
  for (let run = 0; run < maxRuns && total < MAX_TOTAL && shortest > limit; run++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    const time = (user + system) / 1_000;
    shortest = Math.min(shortest, time);
    total += time;
  }
  return shortest;
}
