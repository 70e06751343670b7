import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openStorage, type StorageOptions } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { makeRecord } from "../log/records.ts";
import { makeDatabase, STORE, type TestDatabase } from "./databases.ts";

const SEALING_KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;

describe.each(["memory", STORE] as const)("A storage in %s", (store) => {
  let place: TestDatabase | undefined;
  let storage: Storage;

  beforeAll(async () => {
    place = store === "memory" ? undefined : await makeDatabase();
    storage = await openStorage({ store, sealingKeys: SEALING_KEYS, ...place?.options });
  }, 60_000);

  afterAll(async () => {
    await storage.close();
    await place?.remove();
  });

  test("keeps servers, and refuses a change of a revision that is not the last one", async () => {
    const changes: string[] = [];
    const end = storage.onChange((kind) => changes.push(kind));
    const config = {
      title: "Weather",
      tools: { z: { description: "Z", request: { method: "GET", url: "https://z" } } },
    } as const;
    const first = await storage.servers.put("weather", config, 0);
    expect(first).toEqual({ slug: "weather", config, revision: 1, updatedAt: expect.any(Number) });
    await expect(storage.servers.put("weather", config, 0)).rejects.toThrow("exists already");
    const second = await storage.servers.put("weather", { title: "Wetter" }, 1);
    expect(second).toMatchObject({ config: { title: "Wetter" }, revision: 2 });
    await expect(storage.servers.put("weather", config, 1)).rejects.toThrow("not at revision 1 any more");
    await expect(storage.servers.remove("weather", 1)).rejects.toThrow("not at revision 1 any more");
    expect(storage.servers.list()).toEqual([second]);
    expect(await storage.servers.remove("weather", 2)).toBe(true);
    expect(await storage.servers.remove("weather", 2)).toBe(false);
    expect(storage.servers.list()).toEqual([]);
    expect(changes).toEqual(["servers", "servers", "servers"]);
    end();
  });

  test("finds an API key by the key alone, until it is revoked or has expired", async () => {
    const { key, secret } = await storage.keys.create({ name: "Claude", servers: ["weather"] });
    expect(secret).toMatch(/^twk_[\w-]{43}$/);
    expect(storage.keys.find(secret)).toMatchObject({ id: key.id, name: "Claude", servers: ["weather"] });
    expect(storage.keys.find(`${secret.slice(0, -1)}!`)).toBeUndefined();
    expect(storage.keys.find("")).toBeUndefined();
    expect(storage.keys.list()).toEqual([{ ...key, lastUsedAt: expect.any(Number) }]);
    expect(JSON.stringify(storage.keys.list())).not.toContain(secret.slice(12));
    const brief = await storage.keys.create({ name: "brief", expiresAt: Date.now() + 60 });
    await expect.poll(() => storage.keys.find(brief.secret)).toBeUndefined();
    expect(await storage.keys.revoke(key.id)).toBe(true);
    expect(await storage.keys.revoke(key.id)).toBe(false);
    expect(storage.keys.find(secret)).toBeUndefined();
    await expect(storage.keys.create({ name: " " })).rejects.toThrow("needs a name");
    await expect(storage.keys.create({ name: "x", expiresAt: 1 })).rejects.toThrow("in the future");
  });

  test("keeps secrets of everybody apart from those of one principal", async () => {
    await storage.secrets.set("stripe", "sk_live_everybody");
    await storage.secrets.set("stripe", "sk_live_of_ada", "ada");
    expect(storage.secrets.get("stripe")?.reveal()).toBe("sk_live_everybody");
    expect(storage.secrets.get("stripe", "ada")?.reveal()).toBe("sk_live_of_ada");
    expect(storage.secrets.get("stripe", "bob")).toBeUndefined();
    await storage.secrets.set("stripe", "sk_live_changed");
    expect(storage.secrets.get("stripe")?.reveal()).toBe("sk_live_changed");
    expect(storage.secrets.list()).toEqual([
      { name: "stripe", updatedAt: expect.any(Number) },
      { name: "stripe", principal: "ada", updatedAt: expect.any(Number) },
    ]);
    expect(storage.redactor.redact("sk_live_changed sk_live_of_ada sk_live_everybody")).toBe(
      "[secret] [secret] sk_live_everybody",
    );
    expect(await storage.secrets.remove("stripe", "ada")).toBe(true);
    expect(await storage.secrets.remove("stripe", "ada")).toBe(false);
    expect(storage.secrets.get("stripe", "ada")).toBeUndefined();
    await expect(storage.secrets.set("../x", "value")).rejects.toThrow("The name of a secret");
    await expect(storage.secrets.set("empty", "")).rejects.toThrow("The value of the secret empty");
  });

  test("keeps which tools of an upstream were accepted", async () => {
    const { acceptedTools } = storage;
    expect(await acceptedTools.get("door", "docs")).toBeUndefined();
    await acceptedTools.set("door", "docs", { search: "1", ["__proto__"]: "2" });
    await acceptedTools.set("door", "files", {});
    await acceptedTools.set("door", "docs", { search: "3" });
    expect(await acceptedTools.get("door", "docs")).toEqual({ search: "3" });
    expect(await acceptedTools.get("door", "files")).toEqual({});
    expect(await acceptedTools.get("other", "docs")).toBeUndefined();
  });

  test("keeps who changed what, newest first", async () => {
    await storage.audit.add({ actor: "admin", action: "server.put", subject: "weather" });
    await storage.audit.add({ actor: "cli", action: "key.create", subject: "k\0" });
    expect(await storage.audit.list(1)).toMatchObject([{ actor: "cli", action: "key.create" }]);
    expect(await storage.audit.list()).toMatchObject([{ actor: "cli" }, { actor: "admin", at: expect.any(Number) }]);
  });

  test("writes calls to its log, shows them to followers, and redacts their errors", async () => {
    await storage.secrets.set("canary", "canary-4711-value");
    const followed: string[] = [];
    const end = storage.calls.follow(({ id }) => followed.push(id));
    const record = makeRecord({ outcome: "tool-error", error: "refused: canary-4711-value" });
    storage.calls.add(record);
    end();
    storage.calls.add(makeRecord());
    await storage.calls.flush();
    expect(followed).toEqual([record.id]);
    expect(await storage.calls.call(record.id)).toEqual({ ...record, error: "refused: [secret]" });
    expect(await storage.calls.totals({ from: record.at - 1000, to: Date.now() + 1 })).toMatchObject({
      calls: 2,
      failures: 1,
    });
    expect(storage.calls.status()).toMatchObject({ store, isHealthy: true, waiting: 0, lost: 0, written: 2 });
  });
});

describe(`A folder of ${STORE}`, () => {
  let place: TestDatabase;
  let storage: Storage | undefined;
  const warnings: string[] = [];
  const open = async (options: StorageOptions = {}): Promise<Storage> => {
    storage = await openStorage({ ...place.options, onWarning: (message) => warnings.push(message), ...options });
    return storage;
  };

  beforeAll(async () => {
    place = await makeDatabase();
  }, 60_000);

  afterEach(async () => {
    await storage?.close();
    warnings.length = 0;
  });

  afterAll(async () => {
    await place.remove();
  });

  test("has everything again after a restart, and counts lines of its spool that were cut off", async () => {
    const first = await open({ sealingKeys: SEALING_KEYS });
    const { key, secret } = await first.keys.create({ name: "Claude", expiresAt: Date.now() + 1e9 });
    first.keys.find(secret);
    await first.secrets.set("stripe", "sk_live_1234");
    const server = await first.servers.put("weather", { title: "Weather" }, 0);
    const record = makeRecord();
    first.calls.add(record);
    await first.close();

    const left = makeRecord();
    const line = JSON.stringify(left);
    await writeFile(join(place.options.path, "spool", "0000000900.jsonl"), `${line}\nnot json\n${line.slice(0, 40)}`);
    const second = await open({ sealingKeys: SEALING_KEYS });
    expect(second.keys.list()).toEqual([{ ...key, lastUsedAt: expect.any(Number) }]);
    expect(second.keys.find(secret)?.id).toBe(key.id);
    expect(second.secrets.get("stripe")?.reveal()).toBe("sk_live_1234");
    expect(second.servers.list()).toEqual([server]);
    await second.calls.flush();
    expect(await second.calls.call(record.id)).toEqual(record);
    expect(await second.calls.call(left.id)).toEqual(left);
    expect(second.calls.status()).toMatchObject({ written: 1, skipped: 2, waiting: 0 });
    expect(warnings).toEqual([]);
    // It belongs to one process at a time.
    await expect(openStorage({ ...place.options, sealingKeys: SEALING_KEYS })).rejects.toThrow(
      `is in use by the process ${process.pid}. Only one gateway can use it`,
    );
  });

  test("shows no sealing key, in whatever form it is written", async () => {
    const bytes = Buffer.from("f3b1c2d4e5968778695a4b3c2d1e0f10f3b1c2d4e5968778695a4b3c2d1e0f1e", "hex");
    const opened = await open({ sealingKeys: `k9:${bytes.toString("base64")},${SEALING_KEYS}` });
    for (const form of ["base64", "base64url", "hex"] as const) {
      expect(opened.redactor.redact(`The key is ${bytes.toString(form)}!`)).toMatch(/^The key is \[secret\]=?!$/);
    }
    await opened.close();
  });

  test("has secrets that are sealed with a new key, while the old one is still there", async () => {
    const newer = `k2:${Buffer.alloc(32, 2).toString("hex")}`;
    const rotating = await open({ sealingKeys: `${newer},${SEALING_KEYS}` });
    expect(await rotating.secrets.rotate()).toBe(1);
    expect(await rotating.secrets.rotate()).toBe(0);
    expect(rotating.secrets.get("stripe")?.reveal()).toBe("sk_live_1234");
    await rotating.close();
    const outdated = await open({ sealingKeys: SEALING_KEYS });
    expect(outdated.secrets.get("stripe")).toBeUndefined();
    expect(outdated.secrets.list()).toMatchObject([{ name: "stripe" }]);
    expect(warnings).toEqual([
      expect.stringContaining("sealed with the key k2, which is not among the sealing keys (k1)"),
    ]);
  });
});

const [outcome, saidWithoutKeys] = {
  pglite: ["a key file is made that only its owner can read, and is said once", makesKeyFile],
  postgres: ["secrets are refused, with the way to make a key", refusesSecrets],
}[STORE] as [string, (options: TestDatabase["options"]) => Promise<string>];

test(`Without sealing keys, in ${STORE} ${outcome}`, async () => {
  const place = await makeDatabase();
  expect(await saidWithoutKeys(place.options)).toMatch(
    /TOOLWIRE_GATEWAY_KEYS.*(?:one was made in|the key is 32 random bytes)/,
  );
  await place.remove();
});

async function makesKeyFile(options: TestDatabase["options"]): Promise<string> {
  const warnings: string[] = [];
  const first = await openStorage({ ...options, onWarning: (message) => warnings.push(message) });
  await first.secrets.set("stripe", "sk_live_5678");
  await first.close();
  const file = join(options.path, "sealing-keys");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "utf8")).toMatch(/^k[\w-]+:[\w-]{43}\n$/);
  const second = await openStorage({ ...options, onWarning: (message) => warnings.push(message) });
  expect(second.secrets.get("stripe")?.reveal()).toBe("sk_live_5678");
  await second.close();
  expect(warnings).toHaveLength(1);
  return String(warnings[0]);
}

async function refusesSecrets(options: TestDatabase["options"]): Promise<string> {
  const storage = await openStorage(options);
  const error: unknown = await storage.secrets.set("stripe", "sk_live_1234").catch((reason: unknown) => reason);
  await storage.close();
  return String(error);
}

test("A storage that cannot be opened says what is missing", async () => {
  await expect(openStorage({ store: "postgres" })).rejects.toThrow("needs `url`, such as postgres://");
  await expect(openStorage({})).rejects.toThrow("needs `path`");
  const url = "postgres://gateway:hunter2-password@127.0.0.1:1/db";
  const error = await openStorage({ store: "postgres", url }).catch((reason: unknown) => reason);
  expect(String(error)).toContain("The Postgres of the gateway cannot be used");
  expect(String(error)).not.toContain("hunter2");
});
