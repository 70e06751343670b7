// Fetches the public JSON Schema Test Suite, which the tests of @toolwire/json-schema run. It is not a dependency: the npm package of
// the suite, `@json-schema-org/tests`, gets its data from a git repository, so that installing would need access to it, and the lockfile
// a URL. `json-schema-test-suite` has the data, but of 2015, and no package of a validator is published with it.
//
// Usage: node scripts/fetch-schema-suite.mjs [repository], where the repository may also be a local clone.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./workspace.mjs";

const source = JSON.parse(readFileSync(join(root, "packages/json-schema/test/suite/source.json"), "utf8"));
const target = join(root, source.folder, source.commit);

const repository = process.argv[2] ?? source.repository;

try {
  if (!existsSync(target)) fetchSuite();
  console.log(`The JSON Schema Test Suite of ${source.date} is in ${source.folder}`);
} catch (error) {
  const [reason] = String(/** @type {{ stderr?: string }} */ (error).stderr ?? error).split("\n");
  console.error(`The JSON Schema Test Suite cannot be fetched from ${repository}: ${reason}`);
  process.exitCode = 1;
}

function fetchSuite() {
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  run("git", ["init", "--quiet"], partial);
  // Gives up on a network that lets nothing through.
  const limits = ["-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"];
  run("git", [...limits, "fetch", "--quiet", "--depth=1", repository, source.commit], partial);
  run("git", ["checkout", "--quiet", "FETCH_HEAD"], partial);
  renameSync(partial, target);
}
