import { describe, expect, it } from "vitest";
import { RoomEstimate } from "../../src/stores/room.ts";

describe("the estimate of how many sessions there are", () => {
  it("is not asked before somebody has counted", () => {
    expect(new RoomEstimate().needsCount(1_000_000)).toBe(true);
  });

  it("is good for a hundredth of what is allowed, and for five seconds", () => {
    let now = 0;
    const room = new RoomEstimate(() => now);
    room.counted(5000);
    for (let created = 0; created < 100; created += 1) {
      expect(room.needsCount(10_000)).toBe(false);
      room.created();
    }
    expect(room.needsCount(10_000)).toBe(true);
    room.counted(5100);
    now = 4999;
    expect(room.needsCount(10_000)).toBe(false);
    now = 5000;
    expect(room.needsCount(10_000)).toBe(true);
  });

  it("never lets a session in where the last count and what was created since leave no room", () => {
    const room = new RoomEstimate(() => 0);
    room.counted(9999);
    expect(room.needsCount(10_000)).toBe(false);
    room.created();
    expect(room.needsCount(10_000)).toBe(true);
  });

  it("is of no use where few are allowed", () => {
    const room = new RoomEstimate(() => 0);
    room.counted(3);
    room.created();
    expect(room.needsCount(50)).toBe(true);
  });
});
