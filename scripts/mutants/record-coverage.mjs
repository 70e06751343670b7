/**
 * Runs in each test file before its tests, and writes down which functions of the sources they call. Programs that they start
 * are not seen.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";

const root = process.cwd();
const folder = process.env["MUTANTS_COVERAGE"] ?? "";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

afterAll(() => {
  const test = relative(root, expect.getState().testPath ?? "");
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error;
    /** @type {{ [file: string]: string[] }} */
    const called = {};
    for (const { url, functions } of result) {
      const file = relative(root, url.startsWith("file:") ? fileURLToPath(url) : url).replace(/\?.*$/u, "");
      if (!/^packages\/[^/]+\/src\//u.test(file)) continue;
      const names = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map((each) => each.functionName);
      called[file] = [...new Set([...(called[file] ?? []), ...names])];
    }
    mkdirSync(folder, { recursive: true });
    const name = createHash("sha256").update(test).digest("hex");
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ test, called }));
  });
});
