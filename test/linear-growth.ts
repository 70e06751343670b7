/**
 * Finds out whether work grows in proportion to its input, for code that cannot count its steps: the platform's own regular
 * expressions and string functions, and loops that have no budget.
 *
 * Why it does not depend on how busy the machine is:
 *
 * - It takes the processor time of this process. Time that others had does not count.
 * - Whatever else disturbs a run (a garbage collection, a cold cache, the compiler) makes it longer, never shorter. So a run
 *   that takes too long is repeated, and the shortest one counts.
 * - The input grows 64-fold. Linear work then takes 64 times as long, quadratic work 4,096 times. The limit is in the middle,
 *   512 times. So linear work would have to become eight times slower per item in every single run: large objects become
 *   four times slower at worst, as they no longer fit into the processor's cache.
 * - A time below a quarter of a millisecond is taken for that much, so that no ratio of two very small numbers decides.
 */
const GROWTH = 64;
const SLACK = 8;

/** Below this, in milliseconds, processor time says more about the clock than about the work. */
const SHORTEST = 0.25;

/** How often a run is repeated, and how many milliseconds that may take in all. */
const MAX_RUNS = 5;
const MAX_TOTAL = 5_000;

/** How large inputs become, unless a test says otherwise: in characters or items, whatever `make` counts by. */
const LARGEST = 262_144;

/**
 * Says by how much the time that `work` takes grows faster than its input, if it does. `make` makes an input of a size, which
 * does not count as work. The input grows 64-fold, to `largest`.
 *
 * Where `work` returns a number, it is that of the steps it has counted. Time may then grow with the steps as well: what is
 * tested is that nothing goes uncounted.
 */
export function findExcess<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  largest: number = LARGEST,
): string | undefined {
  const growth = new Growth(largest);
  for (const size of growth.sizes) {
    const input = make(size);
    const counted = work(input);
    growth.begin(size, typeof counted === "number" ? counted : 1);
    const excess = growth.judge(measure(() => work(input), growth.sufficient));
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** The same as {@link findExcess} for work that takes its time: it may wait, which costs no processor time. */
export async function findExcessLater<T>(
  make: (size: number) => T,
  work: (input: T) => Promise<unknown>,
  largest: number = LARGEST,
): Promise<string | undefined> {
  const growth = new Growth(largest);
  for (const size of growth.sizes) {
    const input = make(size);
    await work(input);
    growth.begin(size);
    const runs = new Runs(growth.sufficient);
    while (runs.isUnsettled) {
      const start = process.cpuUsage();
      await work(input);
      runs.add(start);
    }
    const excess = growth.judge(runs.shortest);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** Two sizes, and how the time of the larger one compares with that of the other. */
class Growth {
  readonly sizes: readonly number[];
  #before = { time: Infinity, steps: 1 };
  #size = 0;
  #steps = 1;

  constructor(largest: number) {
    this.sizes = [Math.ceil(largest / GROWTH), largest];
  }

  begin(size: number, steps = 1): void {
    this.#size = size;
    this.#steps = steps;
  }

  get #limit(): number {
    const { time, steps } = this.#before;
    return SLACK * Math.max(time, SHORTEST) * Math.max(GROWTH, this.#steps / steps);
  }

  /**
   * A time for which no further run is needed. What the next size is compared with has to be exact: a run that was disturbed
   * would hide how much longer that takes.
   */
  get sufficient(): number {
    return this.#size === this.sizes.at(-1) ? this.#limit : 0;
  }

  judge(time: number): string | undefined {
    const { time: before } = this.#before;
    if (time > this.#limit) {
      return `${before.toFixed(1)} ms for ${Math.ceil(this.#size / GROWTH)}, ${time.toFixed(1)} ms for ${this.#size}`;
    }
    this.#before = { time, steps: this.#steps };
    return undefined;
  }
}

/** The square of this size takes any machine longer than this many milliseconds, even at 64 bytes in one step. */
const GLANCE_SIZE = 32_768;
const GLANCE_TIME = 1;
const GLANCE_GROWTH = 16;

/** The same as {@link findExcess} for thousands of inputs: looks closely only at those that a short run does not clear. */
export function findFirstExcess<T>(
  candidates: Iterable<readonly [title: string, make: (size: number) => T]>,
  work: (input: T) => unknown,
): string | undefined {
  for (const [title, make] of candidates) {
    const excess = isClear(make, work) ? undefined : findExcess(make, work);
    if (excess !== undefined) return `${title}: ${excess}`;
  }
  return undefined;
}

/** Whether a few runs of a small input show that the time does not grow with its square. */
function isClear<T>(make: (size: number) => T, work: (input: T) => unknown): boolean {
  const [small, large] = [make(GLANCE_SIZE / GLANCE_GROWTH), make(GLANCE_SIZE)];
  const time = measure(() => work(large), GLANCE_TIME, 2);
  if (time <= GLANCE_TIME) return true;
  return (
    time <=
    2 *
      GROWTH *
      Math.max(
        measure(() => work(small), 0),
        GLANCE_TIME / GROWTH,
      )
  );
}

/** The processor time of a run that is short enough, or else of the shortest of several, in milliseconds. */
export function measure(work: () => unknown, limit: number, maxRuns: number = MAX_RUNS): number {
  const runs = new Runs(limit, maxRuns);
  while (runs.isUnsettled) {
    const start = process.cpuUsage();
    work();
    runs.add(start);
  }
  return runs.shortest;
}

class Runs {
  shortest = Infinity;
  readonly #limit: number;
  #left: number;
  #total = 0;

  constructor(limit: number, maxRuns = MAX_RUNS) {
    this.#limit = limit;
    this.#left = maxRuns;
  }

  get isUnsettled(): boolean {
    return this.#left > 0 && this.#total < MAX_TOTAL && this.shortest > this.#limit;
  }

  add(start: NodeJS.CpuUsage): void {
    const { user, system } = process.cpuUsage(start);
    const time = (user + system) / 1_000;
    this.shortest = Math.min(this.shortest, time);
    this.#total += time;
    this.#left--;
  }
}
