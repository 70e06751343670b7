// Does the lockfile name packages only, and no place to fetch them from?

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listRepositoryFiles, report, root } from "./workspace.mjs";

const lines = readFileSync(join(root, "pnpm-lock.yaml"), "utf8").split("\n");
const problems = lines.flatMap((line, index) =>
  /:\/\/|\btarball:|\bgit\+|\bcodeload\b/.test(line) ? [`pnpm-lock.yaml:${index + 1}: ${line.trim()}`] : [],
);

// What the conformance suite is fetched with, outside of the workspace.
const suite = "apps/conformance/suite/package-lock.json";
for (const stray of listRepositoryFiles("*package-lock.json", "*yarn.lock", "*npm-shrinkwrap.json", `:!${suite}`)) {
  problems.push(`${stray}: pnpm-lock.yaml is the one lockfile`);
}
if (readFileSync(join(root, suite), "utf8").includes('"resolved"')) {
  problems.push(`${suite}: write it with \`npm install --package-lock-only --omit-lockfile-registry-resolved\``);
}

report(problems, `pnpm-lock.yaml: ${lines.length} lines without a URL`);
