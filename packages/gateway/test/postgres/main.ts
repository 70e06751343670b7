/**
 * Runs the tests of the storage on a real Postgres: `npm run postgres`. The same files run on PGlite in `npm run test:limits`; here, the
 * outage lasts a minute, and several gateways share the database.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPostgres, startPostgres } from "@toolwire/engines";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly success: boolean;
}

async function runTests(url: string, bin: string): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-report-"));
  const output = join(folder, "report.json");
  try {
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const folders = ["log", "storage", "postgres", "durability"].map((name) => `packages/gateway/test/${name}/`);
    const child = spawn(
      process.execPath,
      [vitest, "run", ...folders, "--reporter=default", "--reporter=json", `--outputFile.json=${output}`],
      {
        cwd: root,
        stdio: "inherit",
        env: {
          ...process.env,
          TOOLWIRE_TEST_POSTGRES: url,
          TOOLWIRE_TEST_POSTGRES_BIN: bin,
          TOOLWIRE_TEST_OUTAGE: process.env["TOOLWIRE_TEST_OUTAGE"] ?? "60",
        },
      },
    );
    await once(child, "exit");
    return JSON.parse(await readFile(output, "utf8")) as Report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let found;
try {
  found = findPostgres();
} catch (error) {
  console.log(
    `The tests on a real Postgres cannot run here. ${error instanceof Error ? error.message : String(error)}`,
  );
  console.log("0 passed, 0 failed, 1 skipped");
  process.exit();
}
console.log(`${found.version}, in ${found.bin}`);
const server = await startPostgres(found.bin);
try {
  const { numPassedTests, numFailedTests, success } = await runTests(server.url, found.bin);
  console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
  if (!success) process.exitCode = 1;
} finally {
  await server.close();
}
