import { afterEach, describe, expect, test, vi } from "vitest";
import { createMemoryEventStore, type EventStore } from "../../../src/http/index.ts";

const event = (sequence: number, data = `e${sequence}`): { sequence: number; data: string } => ({ sequence, data });

async function kept(store: EventStore, session: string, stream: string, after = 0): Promise<number[]> {
  return (await store.after(session, stream, after)).map(({ sequence }) => sequence);
}

describe("the event store in memory", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("gives what follows a place in a stream, and nothing of other streams and sessions", async () => {
    const store = createMemoryEventStore();
    for (const sequence of [1, 2, 3]) {
      await store.append("a", "p1", event(sequence));
      await store.append("a", "p2", event(sequence, "other"));
      await store.append("b", "p1", event(sequence, "other"));
    }
    expect(await store.after("a", "p1", 1)).toMatchObject([
      { sequence: 2, data: "e2" },
      { sequence: 3, data: "e3" },
    ]);
    expect(await kept(store, "a", "p1", 3)).toEqual([]);
    expect(await kept(store, "unknown", "p1")).toEqual([]);
  });

  test("forgets a session", async () => {
    const store = createMemoryEventStore();
    await store.append("a", "p1", event(1));
    await store.append("b", "p1", event(1));
    await store.forget("a");
    await store.forget("never seen");
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p1")]).toEqual([[], [1]]);
  });

  test("keeps the newest events of a session within its bound", async () => {
    const store = createMemoryEventStore({ maxPerSession: 5000 });
    for (let sequence = 1; sequence <= 100; sequence += 1) {
      await store.append("a", "p1", event(sequence, "x".repeat(900)));
    }
    expect(await kept(store, "a", "p1")).toEqual([96, 97, 98, 99, 100]);
  });

  test("keeps the latest event of a session however large it is, until the next", async () => {
    const store = createMemoryEventStore({ maxPerSession: 1000 });
    await store.append("a", "p1", event(1, "x".repeat(2000)));
    expect(await kept(store, "a", "p1")).toEqual([1]);
    await store.append("a", "p1", event(2));
    expect(await kept(store, "a", "p1")).toEqual([2]);
  });

  test("keeps the latest event of each stream that no client was there to get", async () => {
    const store = createMemoryEventStore({ maxPerSession: 1000 });
    const large = "x".repeat(2000);
    await store.append("a", "p1", { ...event(1, large), isUnsent: true });
    await store.append("a", "p2", { ...event(1, large), isUnsent: true });
    await store.append("a", "p2", { ...event(2, large), isUnsent: true });
    for (let sequence = 1; sequence <= 20; sequence += 1) await store.append("a", "p3", event(sequence, large));
    expect([await kept(store, "a", "p1"), await kept(store, "a", "p2"), await kept(store, "a", "p3")]).toEqual([
      [1],
      [2],
      [20],
    ]);
    // Its client has come back.
    await store.append("a", "p1", event(2));
    expect([await kept(store, "a", "p1"), await kept(store, "a", "p2")]).toEqual([[2], [2]]);
  });

  test("what nobody got goes with its age, too", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const store = createMemoryEventStore({ maxPerSession: 1000, maxAge: 1000 });
    await store.append("a", "p1", { ...event(1, "x".repeat(2000)), isUnsent: true });
    vi.advanceTimersByTime(1000);
    await store.append("a", "p2", event(1));
    expect([await kept(store, "a", "p1"), await kept(store, "a", "p2")]).toEqual([[], [1]]);
  });

  test("says so if an event is too large for it, or takes the place of what no client has got", async () => {
    const store = createMemoryEventStore({ max: 3000 });
    const unsent = (sequence: number) => ({ ...event(sequence, "x".repeat(1400)), isUnsent: true as const });
    await store.append("a", "p1", unsent(1));
    await store.append("b", "p1", event(1));
    expect(() => store.append("b", "p2", event(1, "x".repeat(3000)))).toThrow("`max` is 3000");
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p1")]).toEqual([[1], [1]]);
    expect(() => store.append("b", "p3", unsent(1))).toThrow("no client has got");
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p3")]).toEqual([[], [1]]);
  });

  test("within the bound of all, sessions that were quiet longest go first", async () => {
    const store = createMemoryEventStore({ max: 3000 });
    await store.append("a", "p1", event(1, "x".repeat(900)));
    await store.append("b", "p1", event(1, "x".repeat(900)));
    await store.append("c", "p1", event(1, "x".repeat(900)));
    await store.append("a", "p1", event(2, "x"));
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p1"), await kept(store, "c", "p1")]).toEqual([
      [1, 2],
      [],
      [1],
    ]);
  });

  test("a session that is over its own bound takes nothing from others", async () => {
    const store = createMemoryEventStore({ max: 3000, maxPerSession: 1000 });
    await store.append("a", "p1", event(1, "x".repeat(800)));
    for (const sequence of [1, 2, 3]) await store.append("b", "p1", event(sequence, "x".repeat(1000)));
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p1")]).toEqual([[1], [3]]);
  });

  test("keeps nothing for longer than it should", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const store = createMemoryEventStore({ maxAge: 1000 });
    await store.append("a", "p1", event(1));
    vi.advanceTimersByTime(600);
    await store.append("a", "p1", event(2));
    vi.advanceTimersByTime(600);
    expect(await kept(store, "a", "p1")).toEqual([2]);
  });

  test("a jump of the system clock neither drops events nor keeps them longer", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] });
    const store = createMemoryEventStore({ maxAge: 1000 });
    await store.append("a", "p1", event(1));
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await kept(store, "a", "p1")).toEqual([1]);
    vi.setSystemTime(Date.now() - 7_200_000);
    vi.advanceTimersByTime(1000);
    expect(await kept(store, "a", "p1")).toEqual([]);
  });
});
