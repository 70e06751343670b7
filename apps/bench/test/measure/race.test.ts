import { expect, test } from "vitest";
import { type Entrant, race } from "../../src/measure/race.ts";

const EFFORT = { rounds: 3, warmUpMs: 1000, settleMs: 2, windowMs: 3 };
const MEMORY = { heap: 1, resident: 2, peak: 3 };

function enter(name: string, log: string[], fail?: () => boolean): Entrant {
  return {
    name,
    async prepare() {
      log.push(`prepare ${name}`);
      return false;
    },
    async measure({ ms }) {
      log.push(`measure ${name} ${ms}`);
      if (fail?.() === true) throw new Error("out of breath");
      return { calls: 10, ms: 500 };
    },
    readMemory: async () => MEMORY,
    release: async (hasFailed) => void log.push(`release ${name}${hasFailed ? ", failed" : ""}`),
  };
}

test("entrants take turns, every other round backwards", async () => {
  const log: string[] = [];
  const outcomes = await race([enter("toolwire", log), enter("raw", log)], EFFORT);
  expect(log.filter((line) => !line.endsWith(" 100")).join(", ")).toBe(
    "prepare toolwire, prepare raw, measure toolwire 3, measure raw 3, measure raw 3, measure toolwire 3, " +
      "measure toolwire 3, measure raw 3, release toolwire, release raw",
  );
  expect(outcomes).toEqual([
    { name: "toolwire", rates: [20, 20, 20], memory: MEMORY },
    { name: "raw", rates: [20, 20, 20], memory: MEMORY },
  ]);
});

test("a race warms up until there is nothing more to gain", async () => {
  const log: string[] = [];
  const rates = [1, 2, 4, 4, 4, 4, 4, 4, 9];
  const entrant = { ...enter("raw", log), measure: async () => ({ calls: rates.shift() ?? 0, ms: 1 }) };
  await race([entrant], { ...EFFORT, rounds: 1 });
  expect(rates).toEqual([]);
});

test("contenders without a target take part in the first half", async () => {
  const log: string[] = [];
  const outcomes = await race([enter("raw", log), enter("tmcp", log)], { ...EFFORT, rounds: 4 });
  expect(outcomes).toMatchObject([{ rates: [20, 20, 20, 20] }, { rates: [20, 20] }]);
});

test("a contender that fails is out, says why, and leaves the others alone", async () => {
  const log: string[] = [];
  const hasRun = (): boolean => log.includes("measure v2 3");
  const outcomes = await race([enter("v2", log, hasRun), enter("raw", log)], EFFORT);
  expect(outcomes).toMatchObject([{ name: "v2", absence: "failed: out of breath" }, { rates: [20, 20, 20] }]);
  expect(log.filter((line) => line === "measure v2 3")).toHaveLength(1);
  expect(log).toContain("release v2, failed");
});
