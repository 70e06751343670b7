import { describe, expect, test } from "vitest";
import type { GatewayEvent } from "../../src/gateway.ts";
import { UpstreamReports } from "../../src/servers/upstream-reports.ts";

const MINUTE = 60_000;

function start(): { reports: UpstreamReports; said: () => string[]; clock: { now: number } } {
  const events: GatewayEvent[] = [];
  const clock = { now: 0 };
  const reports = new UpstreamReports(
    "work",
    (event) => events.push(event),
    () => clock.now,
  );
  return { reports, said: () => events.splice(0).map(({ level, message }) => `${level}: ${message}`), clock };
}

const fail = (message: string) => ({ level: "warning" as const, upstream: "wiki", message, isFailure: true });

describe("what an upstream reports", () => {
  test("is said once for each reason, however often it fails for it, and whatever numbers are in it", () => {
    const { reports, said } = start();
    for (const attempt of [1, 2, 3]) reports.take(fail(`It cannot be reached: ECONNREFUSED (attempt ${attempt})`));
    expect(said()).toEqual(["warning: The upstream wiki: It cannot be reached: ECONNREFUSED (attempt 1)"]);
    reports.take(fail("It cannot be reached: ENOTFOUND"));
    reports.take(fail("It cannot be reached: ENOTFOUND"));
    expect(said()).toEqual(["warning: The upstream wiki: It cannot be reached: ENOTFOUND"]);
  });

  test("has one line for its recovery, and none if it was never broken", () => {
    const { reports, said } = start();
    reports.recovered("wiki");
    expect(said()).toEqual([]);
    reports.take(fail("It ended."));
    said();
    reports.recovered("wiki");
    reports.recovered("wiki");
    expect(said()).toEqual(["info: The upstream wiki works again."]);
  });

  test("comes less and less often from one that keeps failing and recovering", () => {
    const { reports, said, clock } = start();
    let lines = 0;
    for (; clock.now < 60 * MINUTE; clock.now += MINUTE / 4) {
      reports.take(fail("It ended."));
      reports.recovered("wiki");
      lines += said().length;
    }
    // At 0, 1, 3, 7, 15 and 31 minutes, each with its recovery.
    expect(lines).toBe(12);
  });

  test("is passed on whenever it is no failure, such as tools that have changed", () => {
    const { reports, said } = start();
    const changed = { level: "warning" as const, upstream: "wiki", message: "Tools have changed: a" };
    reports.take(changed);
    reports.take(changed);
    expect(said()).toHaveLength(2);
  });
});
