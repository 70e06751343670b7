import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../log/database/database.ts";
import { SpoolDrain } from "../log/spool/spool-drain.ts";
import { SpoolWriter } from "../log/spool/spool-writer.ts";
import { lockFolder } from "./folder-lock.ts";

/** The folder of a worker of a gateway, which has what it has logged and the database has not got yet. */
export function folderOfWorker(path: string, slot: number): string {
  return join(path, "workers", String(slot));
}

/**
 * Writes what workers have left that are not started any more, because there are fewer of them now. Those that are, write what they
 * find in their folders.
 */
export async function drainLeftSpools(path: string, workers: number, database: Database): Promise<void> {
  const names = await readdir(join(path, "workers")).catch(() => []);
  for (const slot of names.map(Number)) {
    if (Number.isInteger(slot) && slot > workers) await drainLeftSpool(folderOfWorker(path, slot), database);
  }
}

async function drainLeftSpool(folder: string, database: Database): Promise<void> {
  const unlock = await lockFolder(folder);
  try {
    const spool = join(folder, "spool");
    const writer = await SpoolWriter.open(spool);
    const drain = await SpoolDrain.open(database, spool, {
      onProgress: ({ segment, lines }) => writer.drained(segment, lines),
    });
    // A database that does not answer keeps nobody waiting: the rest is written at the next start.
    if (writer.waiting > 0) await Promise.race([drain.flush(), expire(LEFT_TIMEOUT)]);
    await drain.close();
    writer.close();
  } finally {
    await unlock();
  }
}

/** How long the database may take for what a worker has left, in milliseconds. */
const LEFT_TIMEOUT = 60_000;

function expire(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
