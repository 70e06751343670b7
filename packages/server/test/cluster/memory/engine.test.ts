import { describe, expect, it, vi } from "vitest";
import { ClusterError, createMemoryEngine, type BusListener } from "../../../src/cluster/index.ts";

const ROOM = { max: Infinity, maxPerClient: Infinity };

/** An engine whose time a test decides. */
function createTimedEngine(options: Parameters<typeof createMemoryEngine>[0] = {}) {
  let time = 0;
  const engine = createMemoryEngine({ ...options, now: () => time });
  return { ...engine, pass: (ms: number) => (time += ms) };
}

function createListener(): BusListener & { readonly heard: string[]; readonly missedPlaces: (string | undefined)[] } {
  const heard: string[] = [];
  const missedPlaces: (string | undefined)[] = [];
  return {
    heard,
    missedPlaces,
    message: () => undefined,
    changes: ({ changes }) => void heard.push(...changes),
    missed: (place) => void missedPlaces.push(place),
  };
}

describe("the engine in memory", () => {
  it("takes no more sessions than it may keep, whatever the servers allow", async () => {
    const { connect, pass } = createTimedEngine({ maxSessions: 2 });
    const { sessions } = connect();
    expect(await sessions.create({ id: "a", facts: "" }, 100, ROOM)).toBe("created");
    expect(await sessions.create({ id: "b", facts: "" }, 200, ROOM)).toBe("created");
    expect(await sessions.create({ id: "c", facts: "" }, 100, ROOM)).toBe("full");
    pass(100);
    expect(await sessions.create({ id: "c", facts: "" }, 100, ROOM)).toBe("created");
    expect(await sessions.get("b")).toBeDefined();
    expect(await sessions.get("a")).toBeUndefined();
  });

  it("refuses a session with the id of another", async () => {
    const { sessions } = createMemoryEngine().connect();
    await sessions.create({ id: "a", facts: "mine" }, 1000, ROOM);
    await expect(sessions.create({ id: "a", facts: "yours" }, 1000, ROOM)).rejects.toThrow(/another session/);
  });

  it("counts the sessions of a client no more once they have ended", async () => {
    const { connect, pass } = createTimedEngine();
    const { sessions } = connect();
    const room = { max: 10, maxPerClient: 1 };
    for (let round = 0; round < 5; round++) {
      expect(await sessions.create({ id: `a${round}`, facts: "", client: "one" }, 100, room)).toBe("created");
      expect(await sessions.create({ id: `b${round}`, facts: "", client: "one" }, 100, room)).toBe("fullOfClient");
      if (round % 2 === 0) pass(100);
      else await sessions.end(`a${round}`);
    }
  });

  it("limits what one session watches", async () => {
    const { sessions } = createMemoryEngine().connect();
    await sessions.create({ id: "a", facts: "" }, 1000, ROOM);
    const watch = "x".repeat(200_000);
    await sessions.update("a", { watch });
    await expect(sessions.update("a", { watch: `${watch}y` })).rejects.toMatchObject({ code: "TOO_LARGE" });
    await sessions.update("a", { unwatch: watch });
    expect(await sessions.update("a", { watch: `${watch}y` })).toBe(true);
  });

  it("refuses events beyond what it may keep, until streams end", async () => {
    const { connect, pass } = createTimedEngine({ maxLogBytes: 100 });
    const { events } = connect();
    const options = { ttl: 100, maxBytes: 1000 };
    await events.append("s", "one", [{ sequence: 1, data: "x".repeat(60) }], options);
    const late = events.append("s", "two", [{ sequence: 1, data: "x".repeat(60) }], options);
    await expect(late).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await events.read("s", "two", 0, 10)).toBeUndefined();
    pass(100);
    await events.append("s", "two", [{ sequence: 1, data: "x".repeat(60) }], options);
    await events.forget("s", "two");
    await events.append("s", "three", [{ sequence: 1, data: "x".repeat(60) }], options);
  });

  it("lets no key through twice, even if it cannot keep more keys", async () => {
    const { connect, pass } = createTimedEngine({ maxKeys: 1 });
    const { once } = connect();
    expect(await once.claim("a", 100)).toBe(true);
    await expect(once.claim("b", 100)).rejects.toBeInstanceOf(ClusterError);
    expect(await once.claim("a", 100)).toBe(false);
    pass(100);
    expect(await once.claim("b", 100)).toBe(true);
  });

  it("forgets the oldest bucket if there are too many", async () => {
    const { connect } = createTimedEngine({ maxKeys: 2 });
    const { limits } = connect();
    const bucket = { limit: 1, window: 1000 };
    expect(await limits.take("a", bucket)).toBe(0);
    expect(await limits.take("b", bucket)).toBe(0);
    expect(await limits.take("a", bucket)).toBe(1000);
    expect(await limits.take("c", bucket)).toBe(0);
    expect(await limits.take("a", bucket)).toBe(0);
  });

  it("gives tokens back evenly, by its own clock", async () => {
    const { connect, pass } = createTimedEngine();
    const { limits } = connect();
    const bucket = { limit: 3, window: 1000 };
    const takes: number[] = [];
    for (let take = 0; take < 4; take++) takes.push(await limits.take("a", bucket));
    expect(takes).toEqual([0, 0, 0, 334]);
    pass(334);
    expect(await limits.take("a", bucket)).toBe(0);
    expect(await limits.take("a", bucket)).toBe(333);
  });

  it("keeps the latest 10,000 changes, and tells listeners that fell behind that they missed some", async () => {
    const bus = createMemoryEngine().connect().bus;
    const listener = createListener();
    bus.listen(listener);
    await bus.announce(["first"]);
    await vi.waitFor(() => expect(listener.heard).toEqual(["first"]));
    let place = "";
    bus.listen({
      ...createListener(),
      changes: ({ changes, place: at }) => void (place ||= changes.length > 0 ? at : ""),
    });
    await bus.announce(["second"]);
    await vi.waitFor(() => expect(place).not.toBe(""));
    await bus.announce(Array.from({ length: 10_000 }, (_, index) => String(index)));
    expect(await bus.changesAfter(place, 2)).toMatchObject({ changes: ["0", "1"] });
    await bus.announce(["one more"]);
    expect(await bus.changesAfter(place, 2)).toBe("gap");
    await bus.announce(Array.from({ length: 10_001 }, (_, index) => String(index)));
    await vi.waitFor(() => expect(listener.missedPlaces).toHaveLength(1));
    await bus.announce(["after all"]);
    await vi.waitFor(() => expect(listener.heard.at(-1)).toBe("after all"));
    expect(await bus.changesAfter(String(listener.missedPlaces[0]), 10)).toMatchObject({ changes: ["after all"] });
  });

  it("handles a message again only when it has forgotten it", async () => {
    const { connect, pass } = createTimedEngine();
    const [one, other] = [connect(), connect()];
    let handled = 0;
    other.bus.listen({ ...createListener(), message: () => ++handled });
    const message = { id: "m", kind: "count", body: {} };
    expect(await one.bus.request(other.node, message, { timeout: 1000 })).toBe(1);
    pass(59_999);
    expect(await one.bus.request(other.node, message, { timeout: 1000 })).toBe(1);
    pass(1);
    expect(await one.bus.request(other.node, message, { timeout: 1000 })).toBe(2);
    // Another node may use the same id.
    const third = connect();
    expect(await third.bus.request(other.node, message, { timeout: 1000 })).toBe(3);
  });

  it("refuses options that do not exist", () => {
    expect(() => createMemoryEngine({ maxSession: 3 } as object)).toThrow(/maxSessions/);
  });
});
