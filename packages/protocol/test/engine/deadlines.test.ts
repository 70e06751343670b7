import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadlines } from "../../src/engine/deadlines.ts";

describe("Deadlines", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells exactly those that are still watched when their time has come", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ delay: fc.integer({ min: 1, max: 50 }), isDeleted: fc.boolean() }), { maxLength: 30 }),
        (plan) => {
          const deadlines = new Deadlines();
          const expired: number[] = [];
          const items = plan.map(({ delay }, index) => ({
            deadline: performance.now() + delay,
            expire: () => void expired.push(index),
          }));
          for (const item of items) deadlines.add(item);
          for (const [index, { isDeleted }] of plan.entries()) {
            const item = items[index];
            if (isDeleted && item !== undefined) deadlines.delete(item);
          }
          vi.advanceTimersByTime(100);
          const expected = plan.flatMap(({ isDeleted }, index) => (isDeleted ? [] : [index]));
          expect(expired.toSorted((a, b) => a - b)).toEqual(expected);
        },
      ),
    );
  });

  it("can delete twice, and what was never added", () => {
    const deadlines = new Deadlines();
    const expired: string[] = [];
    const watch = (name: string): { deadline: number; expire(): void } => ({
      deadline: performance.now() + 10,
      expire: () => void expired.push(name),
    });
    const [first, second, stranger] = [watch("first"), watch("second"), watch("stranger")];
    deadlines.add(first);
    deadlines.add(second);
    deadlines.delete(stranger);
    deadlines.delete(first);
    deadlines.delete(first);
    vi.advanceTimersByTime(20);
    expect(expired).toEqual(["second"]);
  });

  it("needs one timer, however many deadlines come in whatever order", () => {
    const deadlines = new Deadlines();
    for (const delay of [50, 40, 60, 10, 30]) {
      deadlines.add({ deadline: performance.now() + delay, expire: () => undefined });
      expect(vi.getTimerCount()).toBe(1);
    }
    vi.advanceTimersByTime(35);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
  });
});
