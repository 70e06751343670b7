import { RpcError, TransportError } from "@toolwire/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failures, intervalOf } from "../../src/tasks/pace.ts";

describe("the time between two looks", () => {
  test("is that which the server wants, and a little more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 60_000 }), (wanted) => {
        const interval = intervalOf(wanted, false);
        expect(interval).toBeGreaterThanOrEqual(wanted);
        expect(interval).toBeLessThanOrEqual(wanted * 1.1);
      }),
    );
  });

  test("is between 50 ms and a minute, whatever the server wants", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.anything(), fc.constantFrom(0, -1, 1e12, Infinity, -Infinity)), (wanted) => {
        const interval = intervalOf(wanted, false);
        expect(interval).toBeGreaterThanOrEqual(50);
        expect(interval).toBeLessThanOrEqual(66_000);
      }),
    );
    expect(Math.floor(intervalOf(undefined, false) / 1_200)).toBe(0);
    expect(intervalOf(NaN, false)).toBeGreaterThanOrEqual(1_000);
  });

  test("is long where the server announces changes, which is not relied on", () => {
    expect(intervalOf(50, true)).toBeGreaterThanOrEqual(30_000);
    expect(intervalOf(60_000, true)).toBeGreaterThanOrEqual(60_000);
  });
});

describe("the wait after failures", () => {
  const cut = new TransportError("CONNECTION_LOST", "cut");

  test("grows, but not beyond a minute, and begins anew after a success", () => {
    const failures = new Failures(Infinity);
    const delays = Array.from({ length: 40 }, () => failures.delayAfter(cut));
    expect(delays[0]).toBeLessThanOrEqual(500);
    expect(delays[6]).toBeGreaterThan(10_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(60_000);
    failures.clear();
    expect(failures.delayAfter(cut)).toBeLessThanOrEqual(500);
  });

  test("is at least what the server asks for, but no more than ten minutes", () => {
    const busy = (retryAfter: number): RpcError =>
      new RpcError(-32603, "busy", {
        refusal: { isTemporary: true, isUnread: true, suggestsOtherEra: false, detail: "HTTP status 503", retryAfter },
      });
    expect(new Failures(Infinity).delayAfter(busy(90_000))).toBe(90_000);
    expect(new Failures(Infinity).delayAfter(busy(1e12))).toBe(600_000);
  });
});
