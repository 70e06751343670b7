import { describe, expect, test } from "vitest";
import { Breaker } from "../../src/auth/store/breaker.ts";

/** A breaker of three attempts, and a clock that a test moves. */
function breaker() {
  const clock = { now: 0 };
  const made = new Breaker({ attempts: 3, what: "logins" }, () => clock.now);
  const attempt = (): void => {
    made.check();
    made.attempted();
  };
  return { made, clock, attempt };
}

describe("attempts of no use", () => {
  test("are free until there were as many as allowed, then each waits twice as long, up to a minute", () => {
    const { made, clock, attempt } = breaker();
    for (let index = 0; index < 3; index += 1) attempt();
    const waits: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      const start = clock.now;
      expect(() => made.check()).toThrow(/in a row were of no use/);
      while (clock.now - start < 120_000) {
        clock.now += 500;
        try {
          made.check();
          break;
        } catch {
          // Not yet.
        }
      }
      waits.push(clock.now - start);
      made.attempted();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  test("are explained with their number, the wait and the last reason", () => {
    const { made, clock, attempt } = breaker();
    for (let index = 0; index < 3; index += 1) attempt();
    const reason = new Error("The server is away.");
    made.failed(reason);
    clock.now += 1;
    expect(() => made.check()).toThrow(
      expect.objectContaining({
        code: "TEMPORARY",
        message: "3 logins in a row were of no use, so the next one waits 1 s. The server is away.",
        cause: reason,
      }),
    );
  });

  test("are forgotten after one that was of use, with their reason", () => {
    const { made, attempt } = breaker();
    for (let index = 0; index < 3; index += 1) attempt();
    made.failed(new Error("canary"));
    made.reset();
    for (let index = 0; index < 3; index += 1) attempt();
    expect(() => made.check()).toThrow(/waits 1 s\.$/);
  });
});

test("what is refused for good waits at once, and twice as long the next time", () => {
  const { made, clock } = breaker();
  made.attempted();
  made.open(new Error("refused"));
  expect(() => made.check()).toThrow(/waits 2 s\. refused$/);
  clock.now += 2000;
  made.check();
  made.open(new Error("refused"));
  expect(() => made.check()).toThrow(/waits 4 s\. refused$/);
});
