/**
 * Measures what compiling JSON Schemas buys: the interpreter alone, tiered, and ajv. All contenders take turns in every round, so
 * that whatever else the machine does meets all of them, and the ratios within a round count. Prints medians.
 */
import { CONTENDERS, JSON_ROUND_TRIP, type Contender } from "./contenders.ts";
import { SHAPES, type Shape } from "./shapes.ts";

const ROUNDS = 41;

/** How long a contender runs in one round. */
const MILLISECONDS = 10;

/** How many checks warm up the compilers of the platform, and take the tiered contender past its threshold. */
const WARM_UP = 5_000;

/** How often a schema is compiled for the time of the first answer. */
const COMPILATIONS = 21;

for (const shape of SHAPES) {
  const contenders = [...CONTENDERS, ["JSON round trip", JSON_ROUND_TRIP] as const];
  const runs = contenders.map(([name, make]) => ({ name, make, check: make(shape.schema), times: [] as number[] }));
  for (const { name, check } of runs) {
    if (!shape.values.every(check)) throw new Error(`${name} refuses a value of "${shape.title}".`);
    for (let count = 0; count < WARM_UP; count++) check(shape.values[count % shape.values.length]);
  }
  for (let round = 0; round < ROUNDS; round++) for (const run of runs) run.times.push(measure(run.check, shape));

  console.log(`\n${shape.title}`);
  const [baseline = []] = runs.map(({ times }) => times);
  for (const { name, make, times } of runs) {
    const ratio = median(times.map((time, round) => (baseline[round] ?? 0) / time));
    const first = name === "JSON round trip" ? "" : `first answer after ${measureFirst(make, shape).toFixed(2)} ms`;
    console.log(
      `${name.padEnd(16)} ${(median(times) * 1000).toFixed(2).padStart(8)} µs  ${ratio.toFixed(1).padStart(5)} ×  ${first}`,
    );
  }
}

/** Milliseconds of one check. */
function measure(check: (value: unknown) => boolean, { values }: Shape): number {
  const start = performance.now();
  let checks = 0;
  let elapsed = 0;
  do {
    for (let count = 0; count < 32; count++) check(values[count % values.length]);
    checks += 32;
    elapsed = performance.now() - start;
  } while (elapsed < MILLISECONDS);
  return elapsed / checks;
}

/** Milliseconds from a schema to the answer for its first value. */
function measureFirst(make: Contender, { schema, values }: Shape): number {
  const times = Array.from({ length: COMPILATIONS }, () => {
    const start = performance.now();
    make(structuredClone(schema))(values[0]);
    return performance.now() - start;
  });
  return median(times);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
