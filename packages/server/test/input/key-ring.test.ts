/** The keys that nodes of a cluster share: what one seals, another opens. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClusterError, createMemoryEngine, type KeyStore } from "../../src/cluster/index.ts";
import { KeyRing } from "../../src/input/key-ring.ts";
import { readSecrets, StateSeal } from "../../src/input/seal.ts";
import { RingSeal } from "../../src/input/server-seal.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Time that passes when a test says so, and engines and nodes in it. */
class World {
  time = 0;
  /** How often the engine was asked for all keys. */
  reads = 0;
  /** How long nodes have waited for their next look into the engine. */
  readonly pauses: number[] = [];
  failure: ClusterError | undefined;
  #keys = createMemoryEngine({ now: () => this.time }).connect().keys;

  /** Begins with an engine that has kept nothing. */
  restart(): void {
    this.#keys = createMemoryEngine({ now: () => this.time }).connect().keys;
  }

  get store(): KeyStore {
    return this.#keys;
  }

  ring(): KeyRing {
    const check = (): KeyStore => {
      if (this.failure !== undefined) throw this.failure;
      return this.#keys;
    };
    const store: KeyStore = {
      list: async () => {
        this.reads += 1;
        return check().list();
      },
      add: async (key, after) => check().add(key, after),
      remove: async (id) => check().remove(id),
    };
    return new KeyRing(store, {
      now: () => this.time,
      wait: async (ms) => {
        if (ms > 0) this.pauses.push(ms);
        this.time += ms;
      },
    });
  }

  seal(ttlMs = 10 * MINUTE, own = new StateSeal(readSecrets("k".repeat(32)), ttlMs)): RingSeal {
    return new RingSeal(this.ring(), ttlMs, own);
  }

  idOf = (sealed: string): string => sealed.split(".")[0] ?? "";
}

/** Lets work end that nobody waits for. */
const settle = (): Promise<unknown> => new Promise(setImmediate);

describe("the seals of two nodes", () => {
  test("open what the other has sealed, in the same context, until it expires", async () => {
    const world = new World();
    const [here, there] = [world.seal(), world.seal()];
    const sealed = await here.seal({ a: 1 }, "context", 0);
    expect(sealed).toMatch(/^[A-Za-z0-9]{8}\.[\w-]+$/);
    expect(await there.open(sealed, "context", 10 * MINUTE - 1)).toEqual({ value: { a: 1 } });
    expect(await there.open(sealed, "context", 10 * MINUTE)).toBeUndefined();
    expect(await there.open(sealed, "other context", 1)).toBeUndefined();
  });

  test("agree on one key, although both begin at the same moment", async () => {
    const world = new World();
    const seals = Array.from({ length: 8 }, () => world.seal());
    const sealed = await Promise.all(seals.map((seal) => seal.seal(1, "context", 0)));
    expect(new Set(sealed.map(world.idOf)).size).toBe(1);
    expect(await world.store.list()).toHaveLength(1);
    const pairs = seals.flatMap((seal) => sealed.map((text) => ({ seal, text })));
    for (const { seal, text } of pairs) expect(await seal.open(text, "context", 1)).toEqual({ value: 1 });
  });

  test("do not open text with the id of another key, nor with any change", async () => {
    const world = new World();
    const seal = world.seal();
    const sealed = await seal.seal({ a: 1 }, "context", 0);
    const [{ secret } = { secret: "" }] = await world.store.list();
    // The same key under another name: the name is sealed, too.
    await world.store.add({ id: "Another1", secret }, world.idOf(sealed));
    expect(await seal.open(sealed.replace(world.idOf(sealed), "Another1"), "context", 1)).toBeUndefined();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sealed.length - 1),
        fc.constantFrom("A", "z", "0", "-", "_", ".", " "),
        async (at, by) => {
          fc.pre(sealed[at] !== by);
          expect(await seal.open(sealed.slice(0, at) + by + sealed.slice(at + 1), "context", 1)).toBeUndefined();
        },
      ),
      { numRuns: 100 },
    );
  });

  test("open text without the id of a key that this process has sealed before", async () => {
    const world = new World();
    const own = new StateSeal([], MINUTE);
    const sealed = await own.seal("earlier", "context", 0);
    expect(await world.seal(MINUTE, own).open(sealed, "context", 1)).toEqual({ value: "earlier" });
    expect(await world.seal(MINUTE).open(sealed, "context", 1)).toBeUndefined();
  });

  test("keep text for thirty days at most", async () => {
    const world = new World();
    const seal = world.seal(Infinity);
    const sealed = await seal.seal(1, "context", 0);
    expect(await seal.open(sealed, "context", 30 * DAY - 1)).toEqual({ value: 1 });
    expect(await seal.open(sealed, "context", 30 * DAY)).toBeUndefined();
  });
});

describe("a ring of keys", () => {
  test("asks the engine once for many texts, and again from time to time", async () => {
    const world = new World();
    const seal = world.seal();
    await seal.seal(1, "context");
    const { reads } = world;
    for (let count = 0; count < 100; count += 1) await seal.seal(count, "context");
    expect(world.reads).toBe(reads);
    world.time += 11 * MINUTE;
    await seal.seal(1, "context");
    await settle();
    expect(world.reads).toBe(reads + 1);
  });

  test("has a new key every week, which seals when all nodes know it, and opens what older ones have sealed", async () => {
    const world = new World();
    const [here, there] = [world.seal(DAY), world.seal(DAY)];
    const first = await here.seal(1, "context", 0);
    world.time += 7 * DAY + 1;
    // The node that notices adds a key, and goes on with the old one.
    expect(world.idOf(await here.seal(2, "context", world.time))).toBe(world.idOf(first));
    await settle();
    const [newest] = await world.store.list();
    expect(newest?.id).not.toBe(world.idOf(first));
    expect(world.idOf(await there.seal(3, "context", world.time))).toBe(world.idOf(first));
    world.time += 20 * MINUTE;
    const later = await here.seal(4, "context", world.time);
    expect(world.idOf(later)).toBe(newest?.id);
    expect(await there.open(later, "context", world.time)).toEqual({ value: 4 });
    expect(await there.open(first, "context", 1)).toEqual({ value: 1 });
    expect(await world.store.list()).toHaveLength(2);
  });

  test("drops keys when everything has expired that they have sealed", async () => {
    const world = new World();
    const seal = world.seal();
    const first = world.idOf(await seal.seal(1, "context"));
    const counts: number[] = [];
    for (let week = 0; week < 12; week += 1) {
      world.time += 7 * DAY + 1;
      await seal.seal(1, "context");
      await settle();
      world.time += 21 * MINUTE;
      await seal.seal(1, "context");
      await settle();
      counts.push((await world.store.list()).length);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(7);
    expect((await world.store.list()).map(({ id }) => id)).not.toContain(first);
  });

  test("is read again for an unknown key, but not more than once a second, however many are made up", async () => {
    const world = new World();
    const [here, there] = [world.seal(), world.seal()];
    await there.open(`Unknown1.${"A".repeat(64)}`, "context");
    const { reads } = world;
    const sealed = await here.seal(1, "context", 0);
    world.reads = reads;
    const made = Array.from({ length: 100 }, (_, index) => there.open(`Made${index}.${"A".repeat(64)}`, "context", 1));
    const good = there.open(sealed, "context", 1);
    expect(await good).toEqual({ value: 1 });
    expect(new Set(await Promise.all(made))).toEqual(new Set([undefined]));
    expect(world.reads).toBe(reads + 1);
    expect(world.pauses).toEqual([1000]);
  });

  test("is not asked about text that no key can have sealed", async () => {
    const world = new World();
    const seal = world.seal();
    for (const text of [
      "",
      ".",
      "a.b",
      "key.",
      ".AAAA",
      `ä.${"A".repeat(64)}`,
      `${"k".repeat(17)}.${"A".repeat(64)}`,
    ]) {
      expect(await seal.open(text, "context")).toBeUndefined();
    }
    expect(world.reads).toBe(0);
  });

  test("goes on with the keys that it has while the engine is down", async () => {
    const world = new World();
    const seal = world.seal();
    const sealed = await seal.seal(1, "context", 0);
    world.failure = new ClusterError("UNAVAILABLE", "The engine cannot be reached.");
    world.time += 60 * MINUTE;
    expect(await seal.open(sealed, "context", 1)).toEqual({ value: 1 });
    expect(await seal.open(await seal.seal(2, "context", 0), "context", 1)).toEqual({ value: 2 });
    await settle();
  });

  test("says that it cannot know, while the engine is down, rather than that text is bad", async () => {
    const world = new World();
    const sealed = await world.seal().seal(1, "context", 0);
    const other = world.seal();
    world.failure = new ClusterError("UNAVAILABLE", "The engine cannot be reached.");
    await expect(other.open(sealed, "context", 1)).rejects.toMatchObject({ name: "Unavailable", code: -32603 });
    await expect(other.seal(1, "context")).rejects.toMatchObject({ name: "Unavailable", code: -32603 });
    world.failure = undefined;
    expect(await other.open(sealed, "context", 1)).toEqual({ value: 1 });
  });

  test("puts its keys back into an engine that comes back empty", async () => {
    const world = new World();
    const [here, there] = [world.seal(DAY), world.seal(DAY)];
    await here.seal(1, "context");
    world.time += 7 * DAY + 1;
    await here.seal(1, "context");
    await settle();
    world.time += 21 * MINUTE;
    const sealed = [await here.seal(1, "context", 0), await there.seal(2, "context", 0)];
    const before = (await world.store.list()).map(({ id }) => id);
    world.restart();
    world.time += 11 * MINUTE;
    await Promise.all([here.seal(1, "context"), there.seal(1, "context")]);
    await settle();
    await settle();
    expect((await world.store.list()).map(({ id }) => id)).toEqual(before);
    const fresh = world.seal();
    for (const text of sealed) expect(await fresh.open(text, "context", 1)).toBeDefined();
  });

  test("ignores what else is among the keys", async () => {
    const world = new World();
    const foreign: unknown[] = [null, 1, {}, { id: "x", secret: 1, age: 1 }, { id: "x", secret: "short", age: 1 }];
    foreign.push({ id: "no id!", secret: "A".repeat(43), age: 1 }, { id: "x", secret: "A".repeat(43), age: "old" });
    const { store } = world;
    const ring = new KeyRing({
      ...methodsOf(store),
      list: async () => [...(foreign as never[]), ...(await store.list())],
    });
    const { id } = await ring.takeKey();
    expect((await store.list()).map((key) => key.id)).toEqual([id]);
    expect(await ring.find("x")).toBeUndefined();
  });
});

function methodsOf(store: KeyStore): KeyStore {
  return {
    list: () => store.list(),
    add: (key, after) => store.add(key, after),
    remove: (id) => store.remove(id),
  };
}
