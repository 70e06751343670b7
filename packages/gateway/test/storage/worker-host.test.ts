import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrate } from "../../src/log/database/migrations.ts";
import { SpoolWriter } from "../../src/log/spool/spool-writer.ts";
import { startLogWorker, WorkerHost } from "../../src/storage/worker-host.ts";
import { makeRecord } from "../log/records.ts";
import { makeDatabase, type TestDatabase } from "./databases.ts";

let place: TestDatabase;

beforeEach(async () => {
  place = await makeDatabase();
}, 60_000);

afterEach(async () => {
  await place.remove();
});

/** In Postgres, the gateway makes the tables before it starts the thread. */
async function makeTables(): Promise<void> {
  const database = await place.open();
  await migrate(database);
  await database.close();
}

test(
  "no-answered-call-is-lost: the thread of the log dies, is started again, and writes what came in the meantime",
  { timeout: 90_000 },
  async () => {
    const { path, url } = place.options;
    const spoolFolder = join(path, "spool");
    const writer = await SpoolWriter.open(spoolFolder);
    const warnings: string[] = [];
    const workers: Worker[] = [];
    if (url !== undefined) await makeTables();
    const database =
      url === undefined
        ? ({ kind: "pglite", folder: join(path, "database") } as const)
        : ({ kind: "postgres", url } as const);
    const host = await WorkerHost.start(
      { database, spoolFolder, retention: {} },
      writer,
      (message) => warnings.push(message),
      (options) => {
        const worker = startLogWorker(options);
        workers.push(worker);
        return worker;
      },
    );
    for (let index = 0; index < 50; index += 1) writer.append(makeRecord());
    await host.flush();
    expect(host.progress).toMatchObject({ written: 50, isHealthy: true });

    await workers.at(-1)?.terminate();
    for (let index = 0; index < 50; index += 1) {
      writer.append(makeRecord());
      host.wake();
    }
    await host.flush();
    expect(host.progress).toMatchObject({ written: 100, isHealthy: true });
    expect(writer.waiting).toBe(0);
    expect(warnings).toEqual([expect.stringContaining("is started again")]);
    const rows = await host.database.query<{ n: number }>("select count(*)::int as n from toolwire.calls");
    expect(rows).toEqual([{ n: 100 }]);
    await expect(host.database.query("select nonsense")).rejects.toThrow('column "nonsense" does not exist');
    await host.close();
    await expect(host.database.query("select 1")).rejects.toThrow("The storage is closed");
  },
);
