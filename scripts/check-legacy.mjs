// Could the legacy era be deleted? Copies the repository, deletes `src/legacy/` of every package and the lines that
// `legacy-lines.mjs` lists, and nothing else. There the packages must compile, the tests that have nothing to do with the
// legacy era must pass, and so must the modern legs of the conformance suite.
//
//   node scripts/check-legacy.mjs [--keep-legacy] [--keep-copy] [--list] [compile] [test] [conformance]
//
// Names of steps run only those; `compile` always runs. `--keep-legacy` deletes nothing: if a step fails with it, too, the legacy era is
// not to blame. `--keep-copy` leaves the copy for inspection. `--list` only lists which test files would run.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { LEGACY_LINES, MOST_LEGACY_LINES } from "./legacy-lines.mjs";
import { ModernTests } from "./modern-tests.mjs";
import { listRepositoryFiles, report, root } from "./workspace.mjs";

/** A step that takes longer hangs. */
const STEP_TIMEOUT = 15 * 60_000;

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const keepsLegacy = options.includes("--keep-legacy");

const isWanted = (/** @type {string} */ step) => wanted.length === 0 || wanted.includes(step);

/** @type {string[]} */
const problems = [];
const files = listRepositoryFiles();
const workspace = realpathSync(mkdtempSync(join(tmpdir(), "toolwire-modern-")));
const copy = join(workspace, "copy");
/** For the temporary files of all steps, so that none is left. */
const temporary = join(workspace, "tmp");
/** The gateway tells its servers whether to keep sessions, which only the legacy era has. */
const NEEDS_LEGACY = ["gateway"];
const packages = readdirSync(join(root, "packages")).filter(
  (name) => existsSync(join(root, "packages", name, "src")) && !NEEDS_LEGACY.includes(name),
);

// A terminal interrupts the step that runs, too. The folder is still to be deleted then.
process.on("SIGINT", () => {});

try {
  if (options.includes("--list")) {
    const { chosen, title } = chooseTests();
    for (const { file, cases } of chosen) console.log(`${file} (${cases.kept} of ${cases.all})`);
    console.log(`${title}, have nothing to do with the legacy era`);
  } else {
    copySources();
    if (!keepsLegacy) deleteLegacy();
    if (problems.length === 0) compile();
    // Tests say nothing about sources that do not compile.
    const canRun = problems.length === 0;
    if (canRun && isWanted("test")) test();
    if (canRun && isWanted("conformance")) conformance();
    report(problems, keepsLegacy ? "with the legacy era, it works" : "without the legacy era, everything modern works");
  }
} finally {
  if (options.includes("--keep-copy")) console.log(`The copy is ${copy}`);
  else rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
}

function copySources() {
  mkdirSync(copy);
  mkdirSync(temporary);
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")).filter((each) => !/^\.(?:cache|vite)/.test(each))) {
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name), "junction");
  }
  const members = files.filter((file) => /^(?:packages|apps)\/[^/]+\/package\.json$|^test\/package\.json$/.test(file));
  for (const manifest of members) linkDependencies(join(dirname(manifest), "node_modules"));
}

/**
 * Links what a package depends on: packages of this repository to their copies, and others to where they are.
 *
 * @param {string} folder
 */
function linkDependencies(folder) {
  if (!existsSync(join(root, folder))) return;
  mkdirSync(join(copy, folder), { recursive: true });
  for (const name of readdirSync(join(root, folder)).filter((each) => !each.startsWith("."))) {
    const path = join(folder, name);
    if (!lstatSync(join(root, path)).isSymbolicLink()) {
      linkDependencies(path);
      continue;
    }
    const target = relative(root, resolve(dirname(join(root, path)), readlinkSync(join(root, path))));
    const isOurs = !target.startsWith("..") && !target.split(sep).includes("node_modules");
    symlinkSync(isOurs ? join(copy, target) : realpathSync(join(root, path)), join(copy, path), "junction");
  }
}

function deleteLegacy() {
  for (const name of packages) {
    rmSync(join(copy, "packages", name, "src", "legacy"), { recursive: true, force: true });
    const table = LEGACY_LINES[name] ?? {};
    const count = Object.values(table).flat().length;
    if (count > MOST_LEGACY_LINES) problems.push(`${name}: lists ${count} lines, not at most ${MOST_LEGACY_LINES}`);
    for (const [file, lines] of Object.entries(table)) deleteLines(join("packages", name, file), lines);
  }
}

/**
 * @param {string} file
 * @param {string[]} lines
 */
function deleteLines(file, lines) {
  const before = readFileSync(join(copy, file), "utf8").split("\n");
  for (const line of lines) {
    const count = before.filter((each) => each.trim() === line).length;
    if (count !== 1) problems.push(`${file}: has the line \`${line}\` ${count} times instead of once`);
  }
  writeFileSync(join(copy, file), before.filter((each) => !lines.includes(each.trim())).join("\n"));
}

function compile() {
  const projects = packages.map((name) => join("packages", name));
  perform(`compile ${packages.join(", ")}`, "tsc", ["-b", ...projects, "--pretty", "false"]);
  if (problems.length > 0) return;
  // Programs that tests start, and the conformance suite, get what Node's condition leads to.
  for (const name of sortByDependency(packages.filter(isBundled))) {
    perform(`bundle ${name}`, process.execPath, [join(copy, "scripts", "bundle-package.mjs")], join("packages", name));
  }
}

/** @param {string} name */
function isBundled(name) {
  const { scripts } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
  return scripts.build.includes("bundle-package.mjs");
}

function test() {
  const { chosen, title } = chooseTests();
  if (!keepsLegacy) for (const { file, cases } of chosen) writeFileSync(join(copy, file), cases.text);
  perform(`run ${title}: those that have nothing to do with the legacy era`, "vitest", [
    "run",
    ...chosen.map(({ file }) => join(copy, file)),
  ]);
}

function conformance() {
  const isCompiled = perform("compile apps/conformance", "tsc", [
    "-b",
    join("apps", "conformance"),
    "--pretty",
    "false",
  ]);
  if (!isCompiled) return;
  perform("run the conformance suite for 2026-07-28", process.execPath, [
    join(copy, "apps", "conformance", "dist", "main.js"),
    "--revision",
    "2026-07-28",
  ]);
}

/**
 * Packages after those that they depend on.
 *
 * @param {string[]} names
 */
function sortByDependency(names) {
  const needs = new Map(
    names.map((name) => {
      const { dependencies = {} } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
      return [name, names.filter((other) => `@toolwire/${other}` in dependencies)];
    }),
  );
  /** @type {string[]} */
  const sorted = [];
  while (sorted.length < names.length) {
    const next = names.find(
      (name) => !sorted.includes(name) && needs.get(name)?.every((other) => sorted.includes(other)),
    );
    if (next === undefined) throw new Error("Packages depend on each other");
    sorted.push(next);
  }
  return sorted;
}

/**
 * The test files that have cases left, with how many. Left out are tests of code that has nothing to do with messages: they take
 * minutes, and no era can make them fail. So are the packages built on server and client, whose callers are of both eras.
 */
function chooseTests() {
  const isTest =
    /^packages\/(?:protocol|server|client)\/test\/(?!(?:json-schema|linear-regexp|linear-work)\/).*\.test\.ts$/;
  const tests = new ModernTests(root);
  const all = files.filter((file) => isTest.test(file)).map((file) => ({ file, cases: tests.read(file) }));
  const chosen = all.filter(({ cases }) => cases.isModern);
  const kept = chosen.reduce((sum, { cases }) => sum + cases.kept, 0);
  const count = all.reduce((sum, { cases }) => sum + cases.all, 0);
  return { chosen, title: `${kept} of ${count} test cases, in ${chosen.length} of ${all.length} files` };
}

/**
 * Runs a command in the copy, and keeps what it printed if it fails. Returns whether it succeeded.
 *
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {string} [directory]
 */
function perform(title, command, args, directory = "") {
  const start = performance.now();
  const bin = command === process.execPath ? command : join(root, "node_modules", ".bin", command);
  const { status, signal, stdout, stderr, error } = spawnSync(bin, args, {
    cwd: join(copy, directory),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: STEP_TIMEOUT,
    env: {
      ...process.env,
      CONFORMANCE_SUITE: join(root, "node_modules", ".cache", "conformance", "suite"),
      CI: "1",
      NO_COLOR: "1",
      TMPDIR: temporary,
      TMP: temporary,
      TEMP: temporary,
    },
    shell: process.platform === "win32" && command !== process.execPath,
  });
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${status === 0 ? "pass" : "FAIL"} ${String(seconds).padStart(4)}s  ${title}`);
  if (status === 0) return true;
  const isInterrupted = error === undefined && (signal !== null || status === 130);
  if (isInterrupted) throw new Error(`Interrupted: ${title}`);
  const output = `${stdout}${stderr}${error?.message ?? ""}`.replaceAll(copy + sep, "").trimEnd();
  problems.push(`${title}:`, ...output.split("\n").slice(-400));
  return false;
}
