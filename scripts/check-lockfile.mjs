// Does the lockfile name packages only, and no place to fetch them from?

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listRepositoryFiles, report, root } from "./workspace.mjs";

const lines = readFileSync(join(root, "pnpm-lock.yaml"), "utf8").split("\n");
const problems = lines.flatMap((line, index) =>
  /:\/\/|\btarball:|\bgit\+|\bcodeload\b/.test(line) ? [`pnpm-lock.yaml:${index + 1}: ${line.trim()}`] : [],
);

// What is fetched when it is needed, outside of the workspace: the conformance suite and the runtimes.
const fetched = ["apps/conformance/suite/package-lock.json", "apps/runtimes/binaries/package-lock.json"];
const others = listRepositoryFiles("*package-lock.json", "*yarn.lock", "*npm-shrinkwrap.json");
for (const stray of others.filter((file) => !fetched.includes(file))) {
  problems.push(`${stray}: pnpm-lock.yaml is the one lockfile`);
}
for (const lockfile of fetched) {
  if (readFileSync(join(root, lockfile), "utf8").includes('"resolved"')) {
    problems.push(`${lockfile}: write it with \`npm install --package-lock-only --omit-lockfile-registry-resolved\``);
  }
}

report(problems, `pnpm-lock.yaml: ${lines.length} lines without a URL`);
