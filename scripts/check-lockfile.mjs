// Does the lockfile name packages only, and no place to fetch them from?

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listRepositoryFiles, report, root } from "./workspace.mjs";

// Lockfiles of packages that are fetched on first use: the conformance suite, the runtimes, the peers, and other gateways.
const fetched = [
  "apps/bench/gateways/package-lock.json",
  "apps/conformance/suite/package-lock.json",
  "apps/runtimes/binaries/package-lock.json",
];
const byPnpm = ["pnpm-lock.yaml", "apps/interop/peers/pnpm-lock.yaml", "apps/search-quality/servers/pnpm-lock.yaml"];

const lines = byPnpm.flatMap((file) =>
  readFileSync(join(root, file), "utf8")
    .split("\n")
    .map((line, index) => ({ file, line: line.trim(), number: index + 1 })),
);
const problems = lines
  .filter(({ line }) => /:\/\/|\btarball:|\bgit\+|\bcodeload\b/.test(line))
  .map(({ file, line, number }) => `${file}:${number}: ${line}`);

const others = listRepositoryFiles("*package-lock.json", "*pnpm-lock.yaml", "*yarn.lock", "*npm-shrinkwrap.json");
for (const stray of others.filter((file) => ![...fetched, ...byPnpm].includes(file))) {
  problems.push(`${stray}: pnpm-lock.yaml is the one lockfile`);
}
for (const lockfile of fetched) {
  if (readFileSync(join(root, lockfile), "utf8").includes('"resolved"')) {
    problems.push(`${lockfile}: write it with \`npm install --package-lock-only --omit-lockfile-registry-resolved\``);
  }
}

report(problems, `${byPnpm.join(", ")}: ${lines.length} lines without a URL`);
