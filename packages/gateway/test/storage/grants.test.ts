import { expect, onTestFinished, test } from "vitest";
import { watchStore } from "../../src/secrets/watch-store.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { GrantOwner, Storage } from "../../src/storage/storage.ts";
import { makeDatabase, STORE } from "./databases.ts";

const OLD = `old:${"11".repeat(32)}`;
const NEW = `new:${"22".repeat(32)}`;
const ADA: GrantOwner = { server: "work", upstream: "notes", principal: "ada" };
const GRANT = 'grant ["https://issuer.example","client","https://notes.example",null]';
const REGISTRATION = 'registration ["https://issuer.example","Toolwire gateway"]';

async function openDatabase(): Promise<{ open(sealingKeys?: string): Promise<Storage>; rows(): Promise<string> }> {
  const database = await makeDatabase();
  onTestFinished(() => database.remove());
  return {
    open: (sealingKeys = OLD) => openStorage({ ...database.options, sealingKeys }),
    async rows() {
      const opened = await database.open();
      const rows = await opened.query("select * from toolwire.grants");
      const pending = await opened.query("select * from toolwire.pending_logins");
      await opened.close();
      return JSON.stringify([rows, pending]);
    },
  };
}

const STORES: readonly (readonly [string, () => Promise<Storage>])[] = [
  ["memory", async () => openMemoryStorage()],
  [STORE, async () => (await openDatabase()).open()],
];

test.each(STORES)(
  "Grants in %s are replaced by whoever knows the latest version, and listed without values",
  async (_, open) => {
    const storage = await open();
    const told: string[] = [];
    storage.onChange((kind) => told.push(kind));
    const store = storage.grants.open(ADA);
    expect(await store.get(GRANT)).toBeUndefined();
    expect(await store.swap(GRANT, undefined, { accessToken: "canary-1" })).toBe(true);
    expect(await store.swap(GRANT, undefined, { accessToken: "canary-2" })).toBe(false);
    const first = await store.get(GRANT);
    expect(first?.value).toEqual({ accessToken: "canary-1" });
    const renewed = [1, 2, 3].map((count) => store.swap(GRANT, first?.version, { accessToken: `canary-${count}` }));
    expect((await Promise.all(renewed)).filter((isDone) => isDone)).toHaveLength(1);
    // Another process hears of logins, and not of renewals.
    expect(told).toEqual(["grants"]);
    expect(JSON.stringify(await storage.grants.list())).not.toContain("canary");
    expect(await storage.grants.list()).toMatchObject([{ ...ADA, version: expect.any(String) as string }]);
    expect(await storage.grants.list({ server: "work", upstream: "other" })).toEqual([]);
    expect(await storage.grants.list(ADA)).toHaveLength(1);
    expect(await storage.grants.list({ ...ADA, principal: undefined })).toEqual([]);

    const bob = storage.grants.open({ ...ADA, principal: "bob" });
    expect(await bob.get(GRANT)).toBeUndefined();
    await bob.swap(REGISTRATION, undefined, { clientId: "c" });
    expect((await store.get(REGISTRATION))?.value).toEqual({ clientId: "c" });
    expect(await storage.grants.remove({ ...ADA, principal: "bob" })).toBe(false);
    expect(await storage.grants.remove(ADA)).toBe(true);
    expect(await store.get(GRANT)).toBeUndefined();
    expect(await store.get(REGISTRATION)).toBeDefined();
    // A version is never used again, so that a late writer does not overwrite a new login.
    await store.swap(GRANT, undefined, { accessToken: "again" });
    expect(await store.swap(GRANT, first?.version, { accessToken: "late" })).toBe(false);
    await storage.close();
  },
);

test.each(STORES)("A pending login in %s is read as often as one likes, and taken once", async (_, open) => {
  const storage = await open();
  const { pendingLogins } = storage;
  await pendingLogins.put("link secret-id", ADA, "the-value", Date.now() + 60_000);
  expect(await pendingLogins.read("link secret-id")).toBe("the-value");
  expect(await pendingLogins.read("link other")).toBeUndefined();
  const taken = await Promise.all([1, 2, 3].map(() => pendingLogins.take("link secret-id")));
  expect(taken.filter((value) => value === "the-value")).toHaveLength(1);
  await pendingLogins.put("link late", ADA, "x", Date.now() - 1);
  expect(await pendingLogins.take("link late")).toBeUndefined();
  for (let count = 0; count < 12; count += 1) await pendingLogins.put(`link ${count}`, ADA, "x", Date.now() + 60_000);
  expect(await pendingLogins.read("link 0")).toBeUndefined();
  expect(await pendingLogins.read("link 11")).toBe("x");
  await storage.close();
});

test.each(STORES)(
  "A login in %s that was begun outlives any number of links that are made meanwhile",
  async (_, open) => {
    const storage = await open();
    const { pendingLogins } = storage;
    await pendingLogins.put("login state", ADA, "the-login", Date.now() + 60_000);
    for (let count = 0; count < 12; count += 1) await pendingLogins.put(`link ${count}`, ADA, "x", Date.now() + 60_000);
    expect(await pendingLogins.take("login state")).toBe("the-login");
    await storage.close();
  },
);

test(`In ${STORE}, values are sealed for their row, and sealed with a new key by a rotation`, async () => {
  const database = await openDatabase();
  const storage = await database.open();
  await storage.grants
    .open(ADA)
    .swap(GRANT, undefined, { accessToken: "canary-token-77", refreshToken: "canary-refresh" });
  await storage.pendingLogins.put("login canary-state", ADA, "canary-verifier", Date.now() + 60_000);
  await storage.close();
  const rows = await database.rows();
  expect(rows).not.toMatch(/canary/);
  expect(rows).not.toContain(Buffer.from("canary").toString("base64").slice(0, 7));
  const rotating = await database.open(`${NEW},${OLD}`);
  expect(await rotating.secrets.rotate()).toBe(1);
  await rotating.close();
  const rotated = await database.open(NEW);
  expect((await rotated.grants.open(ADA).get(GRANT))?.value).toMatchObject({ accessToken: "canary-token-77" });
  await rotated.close();
});

test("In memory, those who open the grants of one owner take turns, also through stores of their own", async () => {
  const storage = openMemoryStorage();
  const steps: string[] = [];
  const renew = (name: string) =>
    watchStore(storage.grants.open(ADA), () => undefined).lock?.(
      GRANT,
      async () => {
        steps.push(`${name} begins`);
        await storage.grants.open(ADA).get(GRANT);
        steps.push(`${name} ends`);
      },
      { signal: undefined },
    );
  await Promise.all([renew("one"), renew("other")]);
  expect(steps).toEqual(["one begins", "one ends", "other begins", "other ends"]);
});

test(`In ${STORE}, one gateway at a time renews a grant, and one that is gone does not keep the others waiting`, async () => {
  const database = await openDatabase();
  const storage = await database.open();
  const store = storage.grants.open(ADA);
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await store.get(GRANT);
    inside -= 1;
  };
  const other = storage.grants.open(ADA);
  const none = { signal: undefined };
  await Promise.all([store, other, store, other].map(async (each) => each.lock?.(GRANT, work, none)));
  expect(most).toBe(1);
  const stop = new AbortController();
  await store.lock?.(
    GRANT,
    async () => {
      const waiting = other.lock?.(GRANT, work, { signal: stop.signal });
      stop.abort(new Error("Nobody waits any more."));
      await expect(waiting).rejects.toThrow(/abort/i);
    },
    none,
  );
  await other.lock?.(GRANT, work, none);
  await storage.close();
});
