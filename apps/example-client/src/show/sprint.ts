import { textOf, type Act } from "./act.ts";
import type { Checks } from "./checks.ts";
import type { Lane } from "./lanes.ts";

const CALLS = 500;
const AT_ONCE = 64;

/** Calls per second, by transport. */
export type Speeds = Map<Lane["name"], number>;

/** As many short calls as possible, on one transport after the other. */
export function sprint(speeds: Speeds): Act {
  return async ({ lanes, presenter, checks }) => {
    presenter.act(
      `${CALLS} short calls on each transport`,
      `${AT_ONCE} at a time, one transport after the other. Every sum is checked.`,
    );
    for (const lane of lanes) {
      const start = performance.now();
      await run(lane, checks);
      const seconds = (performance.now() - start) / 1000;
      speeds.set(lane.name, CALLS / seconds);
      presenter.say(`${lane.name.padEnd(9)}  ${CALLS} sums in ${seconds.toFixed(3)} s`);
    }
  };
}

/** Each of several workers takes the next number until there is none left. */
async function run({ name, client }: Lane, checks: Checks): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < CALLS) {
      const a = next++;
      const result = await client.callTool("get-sum", { a, b: 0.5 });
      checks.same(`${name}: the sum of ${a} and 0.5`, textOf(result), `The sum of ${a} and 0.5 is ${a + 0.5}.`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
