import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createCallId } from "../../src/log/call-id.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { makeRecord } from "../log/records.ts";
import { makeFolder } from "../storage/databases.ts";
import { readLog } from "../storage/processes.ts";
import { startPostgres } from "@toolwire/engines";

const bin = process.env["TOOLWIRE_TEST_POSTGRES_BIN"];
const seconds = Number(process.env["TOOLWIRE_TEST_OUTAGE"] ?? "5");
if (bin === undefined) {
  console.log("Not run: the outage of a Postgres needs one to stop. `npm run postgres` runs this test.");
}

test.runIf(bin !== undefined)(
  `calls-do-not-wait-for-the-log: Postgres is down for ${seconds} s under load, no call waits or fails, and no record is lost`,
  { timeout: 120_000 + seconds * 1000 },
  async () => {
    const server = await startPostgres(bin ?? "");
    const warnings: string[] = [];
    const storage = await openStorage({
      store: "postgres",
      url: server.url,
      path: await makeFolder(),
      sealingKeys: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
      onWarning: (message) => warnings.push(message),
    });
    const { secret } = await storage.keys.create({ name: "Claude" });
    await storage.secrets.set("stripe", "sk_live_1234");

    const added: string[] = [];
    const times: number[] = [];
    const load = new AbortController();
    const loading = (async () => {
      while (!load.signal.aborted) {
        for (let index = 0; index < 10; index += 1) {
          const at = Date.now();
          const record = makeRecord({ at, id: createCallId(at) });
          const start = performance.now();
          storage.calls.add(record);
          times.push(performance.now() - start);
          added.push(record.id);
        }
        await delay(10);
      }
    })();

    await expect.poll(() => storage.calls.status().written).toBeGreaterThan(100);
    await server.crash();
    await expect.poll(() => storage.calls.status().isHealthy, { timeout: 60_000 }).toBe(false);
    const before = added.length;
    await delay(seconds * 1000);
    expect(added.length).toBeGreaterThan(before);
    // Whatever is in memory works without the database.
    expect(storage.keys.find(secret)).toBeDefined();
    expect(storage.secrets.get("stripe")?.reveal()).toBe("sk_live_1234");
    expect(storage.calls.status()).toMatchObject({ isHealthy: false, lost: 0, error: expect.any(String) });
    expect(storage.calls.status().waiting).toBeGreaterThan(0);
    await server.restart();
    await expect.poll(() => storage.calls.status().isHealthy, { timeout: 60_000 }).toBe(true);
    load.abort();
    await loading;
    await storage.calls.flush();

    const { ids, counted } = await readLog(storage.calls);
    expect(ids.toSorted()).toEqual(added.toSorted());
    expect(counted).toBe(added.length);
    expect(storage.calls.status()).toMatchObject({
      isHealthy: true,
      waiting: 0,
      lost: 0,
      skipped: 0,
      written: added.length,
    });
    const sorted = times.toSorted((one, other) => one - other);
    const figure = (share: number): string => ((sorted[Math.floor(sorted.length * share)] ?? 0) * 1000).toFixed(1);
    console.log(
      `${added.length} calls, down for ${seconds} s; add() took p50 ${figure(0.5)} µs, p99 ${figure(0.99)} µs`,
    );
    await storage.close();
    await server.close();
  },
);
