/**
 * Runs the tests that need real engines: `npm run engines`. `npm run install:engines` installs what is missing. Without Redis and Valkey, the
 * tests of the package for Redis are left out, without Postgres those of the package for Postgres, and without either those of the gateway
 * and of the guide to several machines.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPostgres, type FoundPostgres } from "./find-postgres.ts";
import { findRedis, findValkey } from "./find-redis.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
}

/** Says what is not tested here. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runTests(folders: readonly string[], environment: NodeJS.ProcessEnv): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-report-"));
  const output = join(folder, "report.json");
  try {
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const child = spawn(
      process.execPath,
      [vitest, "run", ...folders, "--reporter=default", "--reporter=json", `--outputFile.json=${output}`],
      { cwd: root, stdio: "inherit", env: { ...process.env, TOOLWIRE_TEST_ENGINES: "1", ...environment } },
    );
    await once(child, "exit");
    return JSON.parse(await readFile(output, "utf8")) as Report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lookForPostgres(): FoundPostgres | undefined {
  try {
    return findPostgres();
  } catch (error) {
    say(`Not run: tests of Postgres. ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

const redis = findRedis();
const valkey = findValkey();
if (redis === undefined) say("Not run: tests of Redis, which is neither in TOOLWIRE_REDIS_BIN nor in the PATH.");
if (valkey === undefined) say("Not run: tests of Valkey, which is neither in TOOLWIRE_VALKEY_BIN nor in the PATH.");
const postgres = lookForPostgres();
for (const found of [redis, valkey]) if (found !== undefined) say(`${found.version}, ${found.program}`);
if (postgres !== undefined) say(`${postgres.version}, in ${postgres.bin}`);

const folders = [
  ...(redis === undefined && valkey === undefined ? [] : ["packages/redis/test/engine/", "apps/engines/test/engine/"]),
  ...(postgres === undefined ? [] : ["packages/postgres/test/engine/"]),
  // Gateways meet in either, and keep calls and keys in Postgres.
  ...(redis === undefined || postgres === undefined ? [] : ["packages/gateway/test/engine/", "test/engine/"]),
];
if (folders.length === 0) {
  say("There is neither Redis, Valkey nor Postgres: `npm run install:engines` installs them as root on Debian.");
  say("0 passed, 0 failed, 1 skipped");
} else {
  let server: PostgresServer | undefined;
  try {
    if (postgres !== undefined) server = await startPostgres(postgres.bin);
    const { numPassedTests, numFailedTests, success } = await runTests(folders, {
      ...(redis !== undefined && { TOOLWIRE_TEST_REDIS: redis.program }),
      ...(valkey !== undefined && { TOOLWIRE_TEST_VALKEY: valkey.program }),
      ...(postgres !== undefined && { TOOLWIRE_TEST_POSTGRES_BIN: postgres.bin }),
      ...(server !== undefined && { TOOLWIRE_TEST_POSTGRES_URL: server.url }),
    });
    say(`${numPassedTests} passed, ${numFailedTests} failed`);
    if (!success) process.exitCode = 1;
  } finally {
    await server?.close();
  }
}
