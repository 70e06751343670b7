import { afterEach, describe, expect, test, vi } from "vitest";
import { createMemoryEventStore, type EventStore } from "../../../src/http.ts";

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

  test("drops unsent events by their age, too", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const store = createMemoryEventStore({ maxPerSession: 1000, maxAge: 1000 });
    await store.append("a", "p1", { ...event(1, "x".repeat(2000)), isUnsent: true });
    vi.advanceTimersByTime(1000);
    await store.append("a", "p2", event(1));
    expect([await kept(store, "a", "p1"), await kept(store, "a", "p2")]).toEqual([[], [1]]);
  });

  test("says so if an event is too large for it, or takes the place of what no client has got", async () => {
    const store = createMemoryEventStore({ max: 3000, maxUnsentPerClient: 3000 });
    const unsent = (sequence: number) => ({ ...event(sequence, "x".repeat(1400)), isUnsent: true as const });
    await store.append("a", "p1", unsent(1));
    await store.append("b", "p1", event(1));
    expect(() => store.append("b", "p2", event(1, "x".repeat(3000)))).toThrow("`max` is 3000");
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p1")]).toEqual([[1], [1]]);
    // Sent events make room first.
    await store.append("b", "p3", unsent(1));
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p1"), await kept(store, "b", "p3")]).toEqual([
      [1],
      [],
      [1],
    ]);
    expect(() => store.append("b", "p4", unsent(1))).toThrow("no client has got");
    expect([await kept(store, "a", "p1"), await kept(store, "b", "p3"), await kept(store, "b", "p4")]).toEqual([
      [1],
      [],
      [1],
    ]);
  });

  test("within the bound of all, sessions that were quiet longest go first, as long as none has much", async () => {
    const store = createMemoryEventStore({ max: 100 * 1000 });
    for (let session = 0; session < 100; session += 1) {
      await store.append(`${session}`, "p1", event(1, "x".repeat(900)));
    }
    await store.append("0", "p1", event(2, "x"));
    expect([await kept(store, "0", "p1"), await kept(store, "1", "p1"), await kept(store, "2", "p1")]).toEqual([
      [1, 2],
      [],
      [1],
    ]);
  });

  test("within the bound of all, the session that has most makes room first", async () => {
    const store = createMemoryEventStore({ max: 3000 });
    await store.append("quiet", "p1", event(1, "x".repeat(400)));
    for (let sequence = 1; sequence <= 20; sequence += 1) {
      await store.append("chatty", "p1", event(sequence, "x".repeat(900)));
    }
    expect([await kept(store, "quiet", "p1"), await kept(store, "chatty", "p1")]).toEqual([[1], [19, 20]]);
  });

  test("all sessions of a client count together", async () => {
    const store = createMemoryEventStore({ max: 3000 });
    await store.append("b", "p1", event(1, "x".repeat(900)), "bob");
    for (let session = 1; session <= 20; session += 1) {
      await store.append(`m${session}`, "p1", event(1, "x".repeat(400)), "mallory");
    }
    expect([await kept(store, "b", "p1"), await kept(store, "m16", "p1"), await kept(store, "m17", "p1")]).toEqual([
      [1],
      [],
      [1],
    ]);
  });

  test.each([
    ["in one session", () => "m"],
    ["in many sessions", (index: number) => `m${index}`],
  ])("keeps the unsent events of others when one client %s has too many", async (_where, sessionOf) => {
    const store = createMemoryEventStore({ max: 100_000 });
    await store.append("b", "p1", { ...event(1, "x".repeat(5000)), isUnsent: true }, "bob");
    await store.append("c", "p1", event(1, "x".repeat(5000)), "carol");
    const large = { ...event(1, "x".repeat(4900)), isUnsent: true as const };
    let lost = 0;
    for (let index = 1; index <= 50; index += 1) {
      try {
        await store.append(sessionOf(index), `p${index}`, large, "mallory");
      } catch {
        lost += 1;
      }
    }
    expect([await kept(store, "b", "p1"), await kept(store, "c", "p1")]).toEqual([[1], [1]]);
    // A tenth of all is what one client may have of it: the latest two.
    expect(lost).toBe(48);
    expect(await kept(store, sessionOf(48), "p48")).toEqual([]);
    expect([await kept(store, sessionOf(49), "p49"), await kept(store, sessionOf(50), "p50")]).toEqual([[1], [1]]);
  });

  test("drops unsent events first of the client that has most of them", async () => {
    const store = createMemoryEventStore({ max: 10_000, maxUnsentPerClient: Infinity });
    const unsent = (length: number) => ({ ...event(1, "x".repeat(length)), isUnsent: true as const });
    await store.append("b", "p1", unsent(900), "bob");
    for (let index = 1; index <= 5; index += 1) await store.append("m", `p${index}`, unsent(1700), "mallory");
    expect(() => store.append("c", "p1", unsent(900), "carol")).toThrow("no client has got");
    expect([await kept(store, "b", "p1"), await kept(store, "c", "p1")]).toEqual([[1], [1]]);
    expect([await kept(store, "m", "p1"), await kept(store, "m", "p2")]).toEqual([[], [1]]);
  });

  test("one large event that nobody got is kept, until the next of its client", async () => {
    const store = createMemoryEventStore({ max: 100_000 });
    const large = { ...event(1, "x".repeat(60_000)), isUnsent: true as const };
    await store.append("a", "p1", large, "ada");
    expect(await kept(store, "a", "p1")).toEqual([1]);
    expect(() => store.append("a2", "p1", { ...event(1), isUnsent: true }, "ada")).toThrow("`maxUnsentPerClient`");
    expect([await kept(store, "a", "p1"), await kept(store, "a2", "p1")]).toEqual([[], [1]]);
  });

  test("does not count the events of a session that was forgotten", async () => {
    const store = createMemoryEventStore({ max: 10_000 });
    for (let round = 0; round < 20; round += 1) {
      await store.append(`s${round}`, "p1", { ...event(1, "x".repeat(600)), isUnsent: true }, "ada");
      await store.append(`s${round}`, "p2", event(1, "x".repeat(5000)), "ada");
      await store.append("other", "p1", event(round + 1, "x".repeat(100)), "bob");
      await store.forget(`s${round}`);
    }
    expect(await kept(store, "other", "p1")).toHaveLength(20);
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
