import { describe, expect, test } from "vitest";
import { RequestRate } from "../../src/server-card/request-rate.ts";

describe("the rate of requests for public documents", () => {
  test("lets no network have more than a tenth, and begins anew each minute", () => {
    const rate = new RequestRate(200);
    const taken = Array.from({ length: 21 }, () => rate.take("192.0.2.1", 500));
    expect(taken.filter((seconds) => seconds === 0)).toHaveLength(20);
    expect(taken.at(-1)).toBe(60);
    expect(rate.take("192.0.2.2", 500)).toBe(0);
    expect(rate.take("192.0.2.1", 59_900)).toBe(1);
    expect(rate.take("192.0.2.1", 60_500)).toBe(0);
  });

  test("ends for all together, those that cannot be told apart included", () => {
    const rate = new RequestRate(3);
    expect([rate.take(undefined, 0), rate.take(undefined, 0), rate.take("192.0.2.1", 0)]).toEqual([0, 0, 0]);
    expect([rate.take(undefined, 1000), rate.take("192.0.2.2", 1000)]).toEqual([59, 59]);
  });

  test("can have no end", () => {
    const rate = new RequestRate(Infinity);
    for (let count = 0; count < 10_000; count += 1) expect(rate.take("192.0.2.1", 0)).toBe(0);
  });
});
