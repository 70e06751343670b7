// Fetches the public JSON Schema Test Suite, which the tests of @toolwire/json-schema run. It is not a dependency, because the
// npm package of the suite gets its data from a git repository: installing would need access to it, and the lockfile a URL.
//
// Usage: node scripts/fetch-schema-suite.mjs [repository], where the repository may also be a local clone.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./workspace.mjs";

const source = JSON.parse(readFileSync(join(root, "packages/json-schema/test/suite/source.json"), "utf8"));
const target = join(root, source.folder, source.commit);

if (!existsSync(target)) {
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  run("git", ["init", "--quiet"], partial);
  run("git", ["fetch", "--quiet", "--depth=1", process.argv[2] ?? source.repository, source.commit], partial);
  run("git", ["checkout", "--quiet", "FETCH_HEAD"], partial);
  renameSync(partial, target);
}
console.log(`The JSON Schema Test Suite of ${source.date} is in ${source.folder}`);
