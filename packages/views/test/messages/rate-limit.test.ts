import { expect, test } from "vitest";
import { createRateLimit } from "../../src/messages/rate-limit.ts";

test("as many as the burst are allowed at once, and then as many as the rate", () => {
  let time = 0;
  const allow = createRateLimit(10, 3, () => time);
  expect([allow(), allow(), allow(), allow()]).toEqual([true, true, true, false]);
  time += 99;
  expect(allow()).toBe(false);
  time += 1;
  expect([allow(), allow()]).toEqual([true, false]);
  time += 60_000;
  expect([allow(), allow(), allow(), allow()]).toEqual([true, true, true, false]);
});
