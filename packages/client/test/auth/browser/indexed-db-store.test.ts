import type { AuthStore } from "@toolwire/client/auth";
import { indexedDbStore } from "@toolwire/client/auth/browser";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DpopKey } from "../../../src/auth/grants/dpop.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { SimulatedIndexedDb, SimulatedLocks } from "../lab/simulated-indexed-db.ts";

let databases: SimulatedIndexedDb;
let locks: SimulatedLocks;

beforeEach(() => {
  databases = new SimulatedIndexedDb();
  locks = new SimulatedLocks();
  vi.stubGlobal("indexedDB", databases);
  vi.stubGlobal("navigator", { locks });
});
afterEach(() => vi.unstubAllGlobals());

async function versionOf(store: AuthStore, key: string): Promise<string | undefined> {
  return (await store.get(key))?.version;
}

describe("a value", () => {
  test("is there for every page of the origin, with a version of its own for each write", async () => {
    const [page, other] = [indexedDbStore(), indexedDbStore()];
    expect(await page.get("grant a")).toBeUndefined();
    expect(await page.swap("grant a", undefined, { token: 1 })).toBe(true);
    const first = await other.get("grant a");
    expect(first).toEqual({ value: { token: 1 }, version: expect.any(String) as string });
    expect(await other.swap("grant a", first?.version, { token: 1 })).toBe(true);
    expect(await versionOf(page, "grant a")).not.toBe(first?.version);
    expect(await page.get("grant b")).toBeUndefined();
  });

  test("is replaced or deleted only by who knows its version", async () => {
    const store = indexedDbStore();
    expect(await store.swap("k", "a-version", 1)).toBe(false);
    expect(await store.get("k")).toBeUndefined();
    expect(await store.swap("k", undefined, 1)).toBe(true);
    const version = await versionOf(store, "k");
    expect(await store.swap("k", undefined, 2)).toBe(false);
    expect(await store.swap("k", "another", 2)).toBe(false);
    expect(await store.swap("k", "another", undefined)).toBe(false);
    expect(await store.get("k")).toEqual({ value: 1, version });
    expect(await store.swap("k", version, undefined)).toBe(true);
    expect(await store.get("k")).toBeUndefined();
  });

  test("may be a key that cannot be exported", async () => {
    const store = indexedDbStore();
    expect(store.holdsObjects).toBe(true);
    const key = await DpopKey.generate(false);
    await store.swap("k", undefined, await key.write());
    const read = await DpopKey.read((await store.get("k"))?.value);
    expect(await read?.thumbprint()).toBe(await key.thumbprint());
    expect(read?.pair.privateKey.extractable).toBe(false);
  });

  test("is not in a store of another name", async () => {
    await indexedDbStore("one").swap("k", undefined, 1);
    expect(await indexedDbStore("other").get("k")).toBeUndefined();
    expect(await indexedDbStore("one").get("k")).toMatchObject({ value: 1 });
  });
});

describe("a browser that fails", () => {
  test("is asked for its database again the next time", async () => {
    const store = indexedDbStore();
    databases.faults.open = new Error("The profile is locked.");
    await expect(store.get("k")).rejects.toThrow("The profile is locked.");
    expect(await store.get("k")).toBeUndefined();
    await store.get("k");
    expect(databases.opened).toBe(2);
  });

  test("keeps nothing that it did not say it has kept", async () => {
    const store = indexedDbStore();
    databases.faults.write = "error";
    await expect(store.swap("k", undefined, 1)).rejects.toThrow("The disk is full.");
    databases.faults.write = "abort";
    await expect(store.swap("k", undefined, 1)).rejects.toThrow("The browser kept nothing.");
    expect(await store.get("k")).toBeUndefined();
  });

  test("may lose the database, and the store goes on with an empty one", async () => {
    const store = indexedDbStore();
    await store.swap("k", undefined, 1);
    databases.clear();
    expect(await store.get("k")).toBeUndefined();
    expect(await store.swap("k", undefined, 2)).toBe(true);
  });

  test("can delete the database while a page has it open", async () => {
    const store = indexedDbStore();
    await store.swap("k", undefined, 1);
    databases.deleteAll();
    expect(await store.get("k")).toBeUndefined();
    expect(databases.opened).toBe(2);
  });
});

test("an application that updates finds the tokens of its users again", async () => {
  await indexedDbStore().swap("k", undefined, 1);
  expect(databases.names()).toEqual({ "toolwire-auth": ["entries"] });
});

test("work for one key waits for that of other pages of the store, until its signal says stop", async () => {
  const [page, other] = [indexedDbStore("mine"), indexedDbStore("mine")];
  const gate = withResolvers<void>();
  const order: string[] = [];
  const first = page.lock!("k", async () => (await gate.promise, order.push("first"), 1), { signal: undefined });
  const second = other.lock!("k", async () => (order.push("second"), 2), { signal: undefined });
  const stop = new AbortController();
  const third = other.lock!("k", async () => order.push("third"), { signal: stop.signal });
  await other.lock!("another", async () => order.push("elsewhere"), { signal: undefined });
  stop.abort(new Error("stopped"));
  gate.resolve();
  expect([await first, await second]).toEqual([1, 2]);
  await expect(third).rejects.toThrow("stopped");
  expect(order).toEqual(["elsewhere", "first", "second"]);
  expect(locks.names).toEqual(["mine k", "mine k", "mine k", "mine another"]);
});
