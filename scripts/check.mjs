// Runs checks, one line each, and shows why one failed. `npm run check` runs the quick ones; `.ci/run` runs all of them
// (`--all`), starting from a bare clone. This file uses nothing but Node, since nothing is installed then.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { failureLines, reasonToSkip } from "./step-output.mjs";

const root = join(import.meta.dirname, "..");

/** Scripts of package.json that take seconds. */
const QUICK = [
  "format:check",
  "lint",
  "typecheck",
  "check:unused",
  "check:docs",
  "check:prose",
  "check:lockfile",
  "check:changesets",
  "check:workflows",
];

/** The others, in the order in which they are worth knowing. */
const SLOW = [
  "test:types",
  "test:limits",
  "check:packages",
  "check:api",
  "check:size",
  "check:legacy",
  "conformance",
  "interop",
  "runtimes",
  "postgres",
  "engines",
  "page",
  "views",
  "logins",
  "soak:short",
  "cluster:short",
  "tasks:short",
];

/** Get what no npm package has. Where they cannot, what follows is said and counted as skipped. */
const FETCHES = [
  ["fetch:schema-suite", "its tests are skipped in npm test"],
  ["install:chromium", "page, views, logins and runtimes look at nothing in it"],
  ["install:engines", "engines tests only what is there"],
];

/** A step that takes longer hangs. */
const STEP_TIMEOUT = 45 * 60_000;

const isAll = process.argv.includes("--all");
/** @type {{ scripts: Record<string, string> }} */
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** @type {Map<string, string[]>} */
const failed = new Map();
let passed = 0;
let skipped = 0;
if (isAll) {
  for (const [step = "", consequence] of FETCHES) runStep(step, consequence);
  // As the README has it: it installs and builds first, and the others rely on that.
  runCommand("npm test", "npm test");
}
for (const step of isAll ? [...QUICK, ...SLOW] : QUICK) runStep(step);

// Once more, since the end of a log is what people look at.
for (const [title, lines] of failed) {
  console.log(`\nFAIL  ${title}`);
  for (const line of lines.slice(0, 10)) console.log(`      ${line}`);
}
console.log(`\n${passed} passed, ${failed.size} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed.size === 0 ? 0 : 1;

/**
 * Runs the command of a script itself, without the scripts that npm runs before it: those install and build again.
 *
 * @param {string} step
 * @param {string} [consequence] what follows if it fails, for a step that may
 */
function runStep(step, consequence) {
  const command = scripts[step];
  if (command === undefined) throw new Error(`package.json has no script \`${step}\``);
  runCommand(`npm run ${step}`, command, consequence);
}

/**
 * @param {string} title
 * @param {string} command
 * @param {string} [consequence]
 */
function runCommand(title, command, consequence) {
  const start = performance.now();
  const { status, stdout, output, error } = spawnSync(command, {
    cwd: root,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter),
      TURBO_TELEMETRY_DISABLED: "1",
      // Tables in documents are compared with, not rewritten; tests print failures only.
      CI: "1",
    },
    maxBuffer: 1 << 28,
    timeout: STEP_TIMEOUT,
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const seconds = String(Math.round((performance.now() - start) / 1000)).padStart(4);
  const reason = status === 0 ? reasonToSkip(stdout) : undefined;
  if (reason !== undefined) {
    skipped += 1;
    console.log(`skip ${seconds}s  ${title}: ${reason}`);
    return;
  }
  if (status === 0) {
    passed += 1;
    console.log(`pass ${seconds}s  ${title}`);
    return;
  }
  const lines = failureLines([...(output ?? []), error?.message].filter(Boolean).join("\n"));
  if (consequence !== undefined) {
    skipped += 1;
    console.log(`skip ${seconds}s  ${title}: ${consequence}`);
  } else {
    failed.set(title, lines);
    console.log(`FAIL ${seconds}s  ${title}`);
  }
  for (const line of lines) console.log(`    ${line}`);
}
