import { parentPort, workerData } from "node:worker_threads";
import type { Database, LocalDatabase } from "../log/database/database.ts";
import { migrate } from "../log/database/migrations.ts";
import { maintainPartitions } from "../log/database/partitions.ts";
import { SpoolDrain } from "../log/spool/spool-drain.ts";
import { openPglite } from "./database/pglite.ts";
import { openPostgres } from "./database/postgres.ts";
import { ParentDatabase } from "./parent-database.ts";
import { errorOf, type WorkerOptions, type WorkerReply, type WorkerRequest } from "./worker-messages.ts";

/**
 * The thread that writes the call log: it empties the spool into the database, makes and drops partitions, and, if the
 * database is embedded, runs it. So neither parsing nor writing nor the database itself ever holds up a call.
 */

const MAINTENANCE_INTERVAL = 3_600_000;
const MAINTENANCE_RETRY = 60_000;

const options = workerData as WorkerOptions;
const parent = new ParentDatabase(send);

function send(reply: WorkerReply): void {
  parentPort?.postMessage(reply, []);
}

async function openDatabase(): Promise<LocalDatabase | Database> {
  if (options.database.kind === "parent") return parent.database;
  if (options.database.kind === "postgres") return openPostgres(options.database.url, 1);
  const database = await openPglite(options.database.folder);
  await migrate(database);
  return database;
}

async function maintain(database: LocalDatabase): Promise<void> {
  let next = MAINTENANCE_INTERVAL;
  try {
    await maintainPartitions(database, options.retention, Date.now());
  } catch (error) {
    next = MAINTENANCE_RETRY;
    send({ type: "warning", message: `Partitions of the call log could not be maintained: ${errorOf(error).message}` });
  }
  setTimeout(() => void maintain(database), next).unref();
}

async function answer(request: WorkerRequest, database: Database, drain: SpoolDrain): Promise<void> {
  switch (request.type) {
    case "query":
      try {
        send({ type: "rows", id: request.id, rows: await database.query(request.statement, request.values) });
      } catch (error) {
        send({ type: "failed", id: request.id, error: errorOf(error) });
      }
      return;
    case "flush":
      await drain.flush();
      send({ type: "flushed", id: request.id });
      return;
    case "answer":
      parent.settle(request);
      return;
    case "wake":
      drain.wake();
      return;
    case "close":
      await drain.close();
      await database.close();
      parentPort?.close();
  }
}

try {
  const database = await openDatabase();
  // A thread with a connection of its own makes and drops partitions. One that sends statements to the first process does not.
  if ("transaction" in database) await maintain(database);
  const drain = await SpoolDrain.open(database, options.spoolFolder, {
    onProgress: (progress) => send({ type: "progress", progress }),
    onIdle: () => send({ type: "idle" }),
  });
  parentPort?.on("message", (request: WorkerRequest) => void answer(request, database, drain));
  send({ type: "ready" });
  // Records of an earlier process may be waiting.
  drain.wake();
} catch (error) {
  send({ type: "broken", error: errorOf(error) });
}
