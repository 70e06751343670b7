import { cp, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHash, randomBytes } from "node:crypto";
import postgres from "postgres";
import type { LocalDatabase } from "../../src/log/database/database.ts";
import { migrate } from "../../src/log/database/migrations.ts";
import { maintainPartitions } from "../../src/log/database/partitions.ts";
import { openPglite } from "../../src/storage/database/pglite.ts";
import { openPostgres } from "../../src/storage/database/postgres.ts";

/** The URL of a Postgres whose user may make databases. Without one, tests run on PGlite. `npm run postgres` sets it. */
export const POSTGRES_URL: string | undefined = process.env["TOOLWIRE_TEST_POSTGRES"];

/** The database that this run is on, for names of tests. */
export const STORE: "pglite" | "postgres" = POSTGRES_URL === undefined ? "pglite" : "postgres";

/** A folder that is gone with the test that made it. */
export async function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "toolwire-storage-"));
}

/** A database of a test, and what opens it again. */
export interface TestDatabase {
  readonly options: { readonly store: "pglite" | "postgres"; readonly path: string; readonly url: string | undefined };
  /** Opens it in this thread. */
  open(): Promise<LocalDatabase>;
  remove(): Promise<void>;
}

/** Makes a database without rows: a folder for PGlite, or a database on the Postgres of the environment. */
export async function makeDatabase(): Promise<TestDatabase> {
  const path = await makeFolder();
  if (POSTGRES_URL === undefined) {
    await copyTemplate(join(path, "database"));
    return {
      options: { store: "pglite", path, url: undefined },
      open: () => openPglite(join(path, "database")),
      remove: () => rm(path, { recursive: true, force: true }),
    };
  }
  const name = `test_${randomBytes(8).toString("hex")}`;
  const admin = postgres(POSTGRES_URL, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`create database ${name}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  return {
    options: { store: "postgres", path, url: url.href },
    open: async () => openPostgres(url.href, 4),
    async remove() {
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.end();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/**
 * PGlite takes seconds to make a database and its tables. One is made for each version of both, and kept in the system's
 * folder for temporary files; tests copy it.
 */
async function copyTemplate(folder: string): Promise<void> {
  const template = join(tmpdir(), `toolwire-pglite-${await versionOfTemplate()}`);
  try {
    await cp(template, folder, { recursive: true });
    return;
  } catch {
    await rm(folder, { recursive: true, force: true });
  }
  const fresh = await mkdtemp(join(tmpdir(), "toolwire-template-"));
  const database = await openPglite(join(fresh, "database"));
  await migrate(database);
  await maintainPartitions(database, {}, Date.now());
  await database.close();
  await cp(join(fresh, "database"), folder, { recursive: true });
  // Another test may have been faster: its template is as good.
  await rename(join(fresh, "database"), template).catch(() => undefined);
  await rm(fresh, { recursive: true, force: true });
}

async function versionOfTemplate(): Promise<string> {
  const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const tables = new URL("../../src/log/database/", import.meta.url);
  const files = [
    join(dirname(pglite), "..", "package.json"),
    new URL("migrations.ts", tables),
    new URL("partitions.ts", tables),
  ];
  const hash = createHash("sha256");
  for (const file of files) hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}
