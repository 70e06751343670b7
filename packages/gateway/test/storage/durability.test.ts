import { join } from "node:path";
import { expect, test } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { makeDatabase, STORE } from "./databases.ts";
import { readIds, readLog, startLogProcess } from "./processes.ts";

test(
  `no-answered-call-is-lost: a process on ${STORE} is killed during 10,000 calls, and all that it has acknowledged are in the log, once`,
  { timeout: 180_000 },
  async () => {
    const place = await makeDatabase();
    const file = join(place.options.path, "acknowledged");
    const options = { ...place.options, sealingKeys: `k1:${Buffer.alloc(32, 1).toString("base64")}` };
    const process = startLogProcess(options, file, 10_000);
    await process.message("added", ({ index = 0 }) => index >= 5000);
    await process.kill();

    const acknowledged = await readIds(file);
    expect(acknowledged.length).toBeGreaterThanOrEqual(5000);
    const storage = await openStorage(options);
    await storage.calls.flush();
    const { ids, counted } = await readLog(storage.calls);
    const found = new Set(ids);
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    expect(ids).toHaveLength(found.size);
    expect(counted).toBe(found.size);
    // Besides those, only one call can be there: the one whose acknowledgement was cut off.
    expect(found.size - acknowledged.length).toBeLessThanOrEqual(1);
    expect(storage.calls.status()).toMatchObject({ waiting: 0, lost: 0 });
    await storage.close();
    await place.remove();
  },
);
