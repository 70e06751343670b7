import { expect, test } from "vitest";
import { type Entrant, race } from "../../src/measure/race.ts";

const EFFORT = { rounds: 3, warmUpCalls: 10, warmUpMs: 1000, settleMs: 2, windowMs: 3 };
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
  const outcomes = await race([enter("a", log), enter("b", log)], EFFORT);
  expect(log.join(", ")).toBe(
    "prepare a, measure a 150, prepare b, measure b 150, " +
      "measure a 3, measure b 3, measure b 3, measure a 3, measure a 3, measure b 3, release a, release b",
  );
  expect(outcomes).toEqual([
    { name: "a", rates: [20, 20, 20], memory: MEMORY },
    { name: "b", rates: [20, 20, 20], memory: MEMORY },
  ]);
});

test("one that fails is out, says why, and leaves the others alone", async () => {
  const log: string[] = [];
  let turns = 0;
  const outcomes = await race([enter("a", log, () => ++turns === 2), enter("b", log)], EFFORT);
  expect(outcomes).toMatchObject([{ name: "a", absence: "failed: out of breath" }, { rates: [20, 20, 20] }]);
  expect(log.filter((line) => line === "measure a 3")).toHaveLength(1);
  expect(log).toContain("release a, failed");
});
