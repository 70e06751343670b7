import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStorage, type StorageOptions } from "../../src/storage/open-storage.ts";
import { startGateway } from "../gateway-process.ts";
import { startPostgres } from "@toolwire/engines";
import { simulateApi } from "../simulated-api.ts";
import { makeFolder } from "../storage/databases.ts";
import { gatewayConfig } from "./gateway-config.ts";
import { Load } from "./load.ts";

const bin = process.env["TOOLWIRE_TEST_POSTGRES_BIN"];
/** Less than a gateway can, so that a fast machine does not make more records than the test has time to count. */
const PER_SECOND = 2000;
const seconds = Number(process.env["TOOLWIRE_TEST_OUTAGE"] ?? "5");
if (bin === undefined) {
  console.log("Not run: a gateway whose Postgres goes down needs one to stop. `npm run postgres` runs this test.");
}
const keys = { TOOLWIRE_GATEWAY_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}` };

test.runIf(bin !== undefined)(
  `calls-do-not-wait-for-the-log: the Postgres of a gateway is down for ${seconds} s under load over HTTP, no call fails, and every record arrives`,
  { timeout: 180_000 + seconds * 1000 },
  async () => {
    await using api = await simulateApi(() => ({ body: '{"ok":true}' }));
    const server = await startPostgres(bin ?? "");
    const options = { store: "postgres", path: await makeFolder(), url: server.url } as const;
    await using gateway = await startGateway(gatewayConfig(api.url, options), keys);
    const load = new Load(`${gateway.url}/mcp/weather`, PER_SECOND);
    const running = load.run(PER_SECOND * (seconds + 60));
    await expect.poll(() => load.ends.length).toBeGreaterThan(500);
    await server.crash();
    const before = load.ends.length;
    await delay(seconds * 1000);
    expect(load.ends.length).toBeGreaterThan(before);
    await server.restart();
    load.stop();
    await running;
    expect(load.ends.filter(({ isAnswered, text }) => !isAnswered || !text.includes('{\\"ok\\":true}'))).toEqual([]);
    expect(await gateway.end("SIGTERM")).toBe(0);

    expect((await readTraces(options)).toSorted()).toEqual(load.answered.toSorted());
    console.log(`${load.ends.length} calls over HTTP, Postgres down for ${seconds} s, 0 failed, 0 lost`);
    await server.close();
  },
);

test.runIf(bin !== undefined)(
  "no-answered-call-is-lost: a gateway that is told to end while its Postgres is down ends, and leaves its records to the next start",
  { timeout: 120_000 },
  async () => {
    await using api = await simulateApi(() => ({ body: '{"ok":true}' }));
    const server = await startPostgres(bin ?? "");
    const options = { store: "postgres", path: await makeFolder(), url: server.url } as const;
    await using gateway = await startGateway(gatewayConfig(api.url, options), keys);
    await server.crash();
    const load = new Load(`${gateway.url}/mcp/weather`);
    await load.run(100);
    expect(load.answered).toHaveLength(100);
    expect(await gateway.end("SIGTERM")).toBe(0);

    await server.restart();
    expect((await readTraces(options)).toSorted()).toEqual(load.answered.toSorted());
    await server.close();
  },
);

/** Opens the log as a gateway does at its start, and returns the trace ids of its records once it is written. */
async function readTraces(options: StorageOptions): Promise<readonly string[]> {
  const storage = await openStorage({ ...options, sealingKeys: keys.TOOLWIRE_GATEWAY_KEYS });
  await storage.calls.flush();
  const range = { from: Date.now() - 3_600_000, to: Date.now() + 60_000 };
  const found: string[] = [];
  for await (const { traceId = "" } of storage.calls.export(range)) found.push(traceId);
  expect((await storage.calls.totals(range)).calls).toBe(found.length);
  await storage.close();
  return found;
}
