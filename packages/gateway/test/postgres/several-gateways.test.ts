import { join } from "node:path";
import postgres from "postgres";
import { expect, test } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { makeDatabase, makeFolder, POSTGRES_URL } from "../storage/databases.ts";
import { readIds, readLog, startLogProcess } from "../storage/processes.ts";

const sealingKeys = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
const isPostgres = POSTGRES_URL !== undefined;
if (!isPostgres) console.log("Not run: several gateways share a Postgres only. `npm run postgres` runs these tests.");

test.runIf(isPostgres)(
  "Two gateways on one Postgres see each other's changes within seconds, also after their connections were cut",
  { timeout: 60_000 },
  async () => {
    const place = await makeDatabase();
    const one = await openStorage({ ...place.options, sealingKeys });
    const other = await openStorage({ ...place.options, path: await makeFolder(), sealingKeys });
    const noticed = (kind: string): Promise<void> =>
      new Promise((resolve) => {
        const end = other.onChange((changed) => {
          if (changed !== kind) return;
          end();
          resolve();
        });
      });

    let change = noticed("secrets");
    await one.secrets.set("stripe", "sk_live_shared");
    await change;
    expect(other.secrets.get("stripe")?.reveal()).toBe("sk_live_shared");
    expect(other.redactor.redact("sk_live_shared")).toBe("[secret]");

    change = noticed("keys");
    const { key, secret } = await one.keys.create({ name: "shared" });
    await change;
    expect(other.keys.find(secret)?.id).toBe(key.id);

    change = noticed("servers");
    await one.servers.put("weather", { title: "Weather" }, 0);
    await change;
    expect(other.servers.list()).toMatchObject([{ slug: "weather", revision: 1 }]);
    await expect(other.servers.put("weather", {}, 0)).rejects.toThrow("exists already");

    // Notices are lost with the connection; the change is found when it is there again.
    const admin = postgres(place.options.url ?? "", { max: 1 });
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await admin.end();
    change = noticed("keys");
    await expect.poll(() => one.keys.revoke(key.id).catch(() => false)).toBe(true);
    await change;
    expect(other.keys.find(secret)).toBeUndefined();

    await one.close();
    await other.close();
    await place.remove();
  },
);

test.runIf(isPostgres)(
  "Gateways that start at once on an empty Postgres make its tables together",
  { timeout: 60_000 },
  async () => {
    const place = await makeDatabase();
    const storages = await Promise.all(
      Array.from({ length: 4 }, async () => openStorage({ ...place.options, path: await makeFolder(), sealingKeys })),
    );
    await Promise.all(storages.map((storage, index) => storage.secrets.set("shared", `value-number-${index}`)));
    await Promise.all(storages.map((storage) => storage.secrets.set("same", "the-same-value")));
    for (const storage of storages) {
      await expect.poll(() => storage.secrets.get("same")?.reveal()).toBe("the-same-value");
      await storage.close();
    }
    await place.remove();
  },
);

test.runIf(isPostgres)(
  "Of two gateway processes on one Postgres one is killed: the other goes on, and no call of either is lost or counted twice",
  { timeout: 120_000 },
  async () => {
    const place = await makeDatabase();
    const folders = [await makeFolder(), await makeFolder()] as const;
    const files = folders.map((folder) => join(folder, "acknowledged"));
    const options = folders.map((path) => ({ ...place.options, path, sealingKeys }));
    const [first, second] = options.map((each, index) => startLogProcess(each, files[index] ?? "", 10_000));
    if (first === undefined || second === undefined) throw new Error("There are two.");
    await Promise.all([first.message("open"), second.message("open")]);
    const change = second.message("change", ({ names = [] }) => names.includes("shared"));
    first.child.send({ name: "shared" });
    await change;
    await first.message("added", ({ index = 0 }) => index >= 3000);
    const done = second.message("done");
    await first.kill();
    await done;
    await second.kill();

    const reopened = await Promise.all(options.map((each) => openStorage(each)));
    for (const storage of reopened) await storage.calls.flush();
    const acknowledged = (await Promise.all(files.map(readIds))).flat();
    expect(acknowledged.length).toBeGreaterThanOrEqual(13_000);
    const [storage] = reopened;
    if (storage === undefined) throw new Error("There are two.");
    expect(storage.secrets.get("shared")?.reveal()).toBe("value-of-shared");
    const { ids, counted } = await readLog(storage.calls);
    const found = new Set(ids);
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    expect(ids).toHaveLength(found.size);
    expect(counted).toBe(found.size);
    for (const each of reopened) await each.close();
    await place.remove();
  },
);
