import { expect, test } from "vitest";
import { InsistenceCheck } from "../../src/load/heartbeat.ts";

async function countStarvation(failures: number, beatsPerFailure: number): Promise<number> {
  const heartbeat = { beats: 0 };
  const check = new InsistenceCheck(heartbeat);
  let found = 0;
  for (let failure = 0; failure < failures; failure++) {
    heartbeat.beats += beatsPerFailure;
    if (await check.failed()) found += 1;
  }
  return found;
}

test("a thousand failures in a row before a timer could fire are found, and told once", async () => {
  expect(await countStarvation(999, 0)).toBe(0);
  expect(await countStarvation(1001, 0)).toBe(1);
});

test("any number of failures is fine if timers fire in between", async () => {
  expect(await countStarvation(5000, 1)).toBe(0);
});
