import { expect, test } from "vitest";
import { LoginAttempts } from "../../src/admin/login/attempts.ts";

const MINUTE = 60_000;

/** Attempts, and a clock that a test moves. */
function begin() {
  const clock = { now: 1_000_000 };
  const attempts = new LoginAttempts(() => clock.now);
  const fail = (address: string, times: number): void => {
    for (let index = 0; index < times; index += 1) void attempts.fail(address);
  };
  return { attempts, clock, fail };
}

test("An address has ten wrong tokens in a minute, and waits for the end of the minute then", () => {
  const { attempts, clock, fail } = begin();
  fail("one", 9);
  expect(attempts.waitOf("one")).toBe(0);
  clock.now += 20_000;
  fail("one", 1);
  expect(attempts.waitOf("one")).toBe(40_000);
  expect(attempts.waitOf("other")).toBe(0);
  clock.now += 39_999;
  expect(attempts.waitOf("one")).toBe(1);
  clock.now += 1;
  expect(attempts.waitOf("one")).toBe(0);
  fail("one", 9);
  expect(attempts.waitOf("one")).toBe(0);
  fail("one", 1);
  expect(attempts.waitOf("one")).toBe(MINUTE);
});

test("All addresses have a hundred together, and wait for the end of their minute", () => {
  const { attempts, clock, fail } = begin();
  expect(attempts.waitOf("new")).toBe(0);
  for (let index = 0; index < 99; index += 1) fail(`address ${index}`, 1);
  expect(attempts.waitOf("new")).toBe(0);
  fail("address 99", 1);
  expect(attempts.waitOf("new")).toBe(MINUTE);
  clock.now += MINUTE - 1;
  expect(attempts.waitOf("new")).toBe(1);
  clock.now += 1;
  expect(attempts.waitOf("new")).toBe(0);
});

test("A thousand addresses are remembered, and all are forgotten for one more", () => {
  const { attempts, clock, fail } = begin();
  clock.now += MINUTE - 10;
  fail("address 0", 10);
  for (let index = 1; index < 1000; index += 1) fail(`address ${index}`, 1);
  // The minute of all addresses together is over, and those of single ones are not.
  clock.now += 10;
  expect(attempts.waitOf("address 0")).toBe(MINUTE - 10);
  fail("address 1", 1);
  expect(attempts.waitOf("address 0")).toBe(MINUTE - 10);
  fail("one more", 1);
  expect(attempts.waitOf("address 0")).toBe(0);
});
