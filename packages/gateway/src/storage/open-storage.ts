import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UsageError } from "@toolwire/protocol";
import { DatabaseLog } from "../log/database-log.ts";
import type { Database } from "../log/database/database.ts";
import { migrate } from "../log/database/migrations.ts";
import type { Retention } from "../log/database/partitions.ts";
import { SpoolWriter, type SpoolLimits } from "../log/spool/spool-writer.ts";
import { Redactor } from "../secrets/redactor.ts";
import { Sealer } from "../secrets/sealing.ts";
import { createSealingKey, isReadableByOthers, readSealingKeys } from "../secrets/sealing-keys.ts";
import { CHANGE_CHANNEL } from "./change-feed.ts";
import { openPostgres, type PostgresDatabase } from "./database/postgres.ts";
import { openDatabaseStorage } from "./database-storage.ts";
import { lockFolder } from "./folder-lock.ts";
import { openMemoryStorage } from "./memory-storage.ts";
import type { Storage } from "./storage.ts";
import { startLogWorker, WorkerHost } from "./worker-host.ts";
import { drainLeftSpools, folderOfWorker } from "./worker-folders.ts";

/** The storage of the first process, as a worker of the gateway reaches it. */
interface DistantStorage {
  /** Counts the workers from 1. Each has a folder of its own for what it has logged. */
  readonly slot: number;
  /** The embedded database, which that process has. */
  readonly database: Database;
  /** Calls back whenever another process of the gateway has changed something. */
  readonly listen: (onNotice: () => void) => Promise<void>;
}

/** Where a gateway keeps what it keeps. */
export interface StorageOptions {
  /** Default: `pglite`, a Postgres inside of this process. */
  readonly store?: "pglite" | "postgres" | "memory" | undefined;
  /**
   * The folder of the embedded database and of the spool of the call log. Needed, unless everything is in memory. With
   * Postgres, a process without a folder can read everything, but adds no calls: for commands.
   */
  readonly path?: string | undefined;
  /** The URL of a Postgres: `postgres://user:password@host/database`. */
  readonly url?: string | undefined;
  readonly retention?: Retention | undefined;
  readonly spool?: SpoolLimits | undefined;
  /** The keys that seal secrets, as in `TOOLWIRE_GATEWAY_KEYS`, which is the default. */
  readonly sealingKeys?: string | undefined;
  /** How many workers the gateway starts. What others have left that were started before is written to the database. */
  readonly workers?: number | undefined;
  /** For a worker of a gateway, whose primary process keeps the embedded database. */
  readonly worker?: DistantStorage | undefined;
  /** Hears what the operator should know: a key file was made, a secret cannot be opened, the database does not answer. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Opens the storage of a gateway.
 *
 * @throws UsageError if options do not fit together, another process uses the folder, or a key is malformed
 */
export async function openStorage(options: StorageOptions = {}): Promise<Storage> {
  if (options.store === "memory") return openMemoryStorage();
  const { worker, path } = options;
  if (options.store === "postgres") {
    const own = worker === undefined || path === undefined ? path : folderOfWorker(path, worker.slot);
    return openShared({ ...options, path: own });
  }
  return worker === undefined ? openEmbedded(options) : openDistant(options, worker);
}

/** Everything in one folder, which belongs to this process alone. */
async function openEmbedded(options: StorageOptions): Promise<Storage> {
  if (options.path === undefined) {
    throw new UsageError("INVALID_ARGUMENT", "The store pglite needs `path`, the folder of its database.");
  }
  const path = resolve(options.path);
  const redactor = new Redactor();
  const onWarning = options.onWarning ?? (() => undefined);
  const unlock = await lockFolder(path);
  try {
    const sealer = createSealer(await findSealingKeys(options, path, onWarning), redactor);
    const writer = await SpoolWriter.open(join(path, "spool"), options.spool, onWarning);
    const worker = await WorkerHost.start(
      {
        database: { kind: "pglite", folder: join(path, "database") },
        spoolFolder: join(path, "spool"),
        retention: options.retention ?? {},
      },
      writer,
      onWarning,
    );
    const { database } = worker;
    const calls = new DatabaseLog(database, redactor, { writer, drain: worker });
    const drained = drainLeft(path, options.workers, database, onWarning);
    const close = async (): Promise<void> => {
      await drained;
      await worker.close();
      await unlock();
    };
    return await openDatabaseStorage({ database, calls, redactor, sealer, onWarning, close }).catch(async (error) => {
      await close();
      throw error;
    });
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The folder of a worker, and the embedded database of the process that has started it. */
async function openDistant(options: StorageOptions, worker: DistantStorage): Promise<Storage> {
  const path = resolve(options.path ?? "");
  const folder = folderOfWorker(path, worker.slot);
  const redactor = new Redactor();
  const onWarning = options.onWarning ?? (() => undefined);
  const unlock = await lockFolder(folder);
  try {
    const sealer = createSealer(await findSealingKeys(options, path, onWarning), redactor);
    const spoolFolder = join(folder, "spool");
    const { database, listen } = worker;
    const writer = await SpoolWriter.open(spoolFolder, options.spool, onWarning);
    const drain = await WorkerHost.start(
      { database: { kind: "parent" }, spoolFolder, retention: {} },
      writer,
      onWarning,
      startLogWorker,
      database,
    );
    const calls = new DatabaseLog(database, redactor, { writer, drain });
    const close = async (): Promise<void> => {
      await drain.close();
      await unlock();
    };
    return await openDatabaseStorage({ database, calls, redactor, sealer, onWarning, listen, close });
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The database on a server, which other gateways use too. */
async function openShared(options: StorageOptions): Promise<Storage> {
  if (options.url === undefined || !/^postgres(?:ql)?:\/\//.test(options.url)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "The store postgres needs `url`, such as postgres://user:password@host:5432/database.",
    );
  }
  const redactor = new Redactor();
  redactor.add(passwordOf(options.url));
  const onWarning = (message: string): void => options.onWarning?.(redactor.redact(message));
  const keys = options.sealingKeys ?? process.env["TOOLWIRE_GATEWAY_KEYS"];
  const sealer = keys === undefined || keys.trim() === "" ? undefined : createSealer(keys, redactor);
  const database = openPostgres(options.url, 4);
  const closers: (() => Promise<void>)[] = [() => database.close()];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    await reach(database, redactor);
    const spool =
      options.path === undefined ? undefined : await openSharedSpool(options, options.path, onWarning, closers);
    const calls = new DatabaseLog(database, redactor, spool);
    if (options.path !== undefined && options.worker === undefined) {
      const drained = drainLeft(resolve(options.path), options.workers, database, onWarning);
      closers.push(() => drained);
    }
    const listen = (onNotice: () => void): Promise<void> => database.listen(CHANGE_CHANNEL, onNotice, onNotice);
    return await openDatabaseStorage({ database, calls, redactor, sealer, onWarning, listen, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Writes what workers of an earlier run have left. Never rejects. */
async function drainLeft(
  path: string,
  workers: number | undefined,
  database: Database,
  onWarning: (message: string) => void,
): Promise<void> {
  try {
    await drainLeftSpools(path, workers ?? 0, database);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onWarning(`Calls that workers have left in ${join(path, "workers")} could not be written: ${reason}`);
  }
}

/** Makes a sealer. Its keys are secrets, in each of the forms in which they can be written. */
function createSealer(text: string, redactor: Redactor): Sealer {
  const keys = readSealingKeys(text);
  for (const { bytes } of keys) {
    const base64 = bytes.toString("base64").replaceAll("=", "");
    for (const form of [base64, bytes.toString("base64url"), bytes.toString("hex")]) redactor.add(form);
  }
  return new Sealer(keys);
}

async function openSharedSpool(
  options: StorageOptions,
  path: string,
  onWarning: (message: string) => void,
  closers: (() => Promise<void>)[],
): Promise<{ readonly writer: SpoolWriter; readonly drain: WorkerHost }> {
  const folder = resolve(path);
  closers.push(await lockFolder(folder));
  const spoolFolder = join(folder, "spool");
  const writer = await SpoolWriter.open(spoolFolder, options.spool, onWarning);
  const database = { kind: "postgres", url: options.url ?? "" } as const;
  const drain = await WorkerHost.start(
    { database, spoolFolder, retention: options.retention ?? {} },
    writer,
    onWarning,
  );
  closers.push(() => drain.close());
  return { writer, drain };
}

/** Makes the tables, and says what is wrong if the server cannot be reached. */
async function reach(database: PostgresDatabase, redactor: Redactor): Promise<void> {
  try {
    await migrate(database);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = redactor.redact(error instanceof Error ? error.message : String(error));
    throw new UsageError(
      "INVALID_STATE",
      `The Postgres of the gateway cannot be used: ${reason}. Check its URL, and that the server runs and lets this user in.`,
    );
  }
}

/** The configured keys, or those of the key file beside the data, which is made if there is none. */
async function findSealingKeys(
  options: StorageOptions,
  path: string,
  onWarning: (message: string) => void,
): Promise<string> {
  const configured = options.sealingKeys ?? process.env["TOOLWIRE_GATEWAY_KEYS"];
  if (configured !== undefined && configured.trim() !== "") return configured;
  const file = join(path, "sealing-keys");
  try {
    await writeFile(file, `${createSealingKey()}\n`, { mode: 0o600, flag: "wx" });
    onWarning(
      `No sealing keys are configured (TOOLWIRE_GATEWAY_KEYS), so one was made in ${file}. Keep it with backups of the ` +
        "secrets, but not in the same place: without it, they cannot be opened.",
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (isReadableByOthers(file)) {
      onWarning(`The sealing keys in ${file} can be read by others. Change its mode to 600.`);
    }
  }
  return `file:${file}`;
}

/** Errors of the driver name hosts and users; the password must not be among it. */
function passwordOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url).password);
  } catch {
    return "";
  }
}
