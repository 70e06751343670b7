// Changes one token of the sources at a time, and finds out whether the tests notice. A share of them that is not noticed is a
// share of the faults that nobody would see.
//
//   npm run mutants -- --seed 1 --count 30 packages/client/src/auth packages/server/src/auth
//   npm run mutants -- --at packages/client/src/auth/oauth.ts:12:7   tries one place again
//
// It works in a checkout of HEAD beside this one, because tests start programs that read the sources. So many mutants are taken
// of each folder; the same seed takes the same ones. First, all quick tests of the folders that mirror the named ones run once
// and write down which functions they call. A mutant then meets the tests that call its function and little else (`--depth first`),
// all others that call it (`calling`), those of the folder that mirrors its own, which may start programs (`near`), the compiler
// (`types`), the long tests of that folder (`long`, the default), and all quick tests of its package (`package`). Each line names the
// test that noticed. It has to fail twice: a test that fails because the machine is busy has noticed nothing. Mutants of which
// nobody can see anything are in `mutants/equivalent.mjs`, with the reason; they are named, and count neither way. `--keep` and
// `--coverage` name checkouts and a folder that serve again the next time.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript-6.0";
import { EQUIVALENT } from "./mutants/equivalent.mjs";
import { Runner } from "./mutants/runner.mjs";

const root = join(import.meta.dirname, "..");

/** How many tests a mutant meets first. */
const FIRST_TESTS = 5;
/** @typedef {{ stage: string, by: string }} Noticed */
/** @typedef {{ test: string, called: { [file: string]: string[] } }} Coverage */
/** @typedef {{ file: string, within: string | undefined, start: number, end: number, was: string, is: string, line: number, column: number }} Mutant */

const SWAPS = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.AsteriskToken, "/"],
]);

const { values, positionals } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "10" },
    at: { type: "string", multiple: true, default: [] },
    lanes: { type: "string", default: "2" },
    keep: { type: "string" },
    coverage: { type: "string" },
    depth: { type: "string", default: "long" },
  },
  allowPositionals: true,
});

const folders =
  positionals.length > 0
    ? positionals
    : ["packages/client/src/auth", "packages/server/src/auth", "packages/gateway/src"];
const random = randomFrom(Number(values.seed));
const mutants =
  values.at.length > 0
    ? values.at.map(findAt)
    : folders.flatMap((folder) => sample(listMutants(folder), Number(values.count)));

console.log(`${mutants.length} mutants of ${folders.join(", ")}, seed ${values.seed}`);
/** @type {Mutant[]} */
const missed = [];
/** @type {Mutant[]} */
const equivalent = [];
/** @type {Map<string, number>} */
const byStage = new Map();
const queue = [...mutants.entries()];
const copies = Array.from({ length: Math.min(Number(values.lanes), mutants.length) }, (_, lane) => checkOut(lane));
/** @type {Map<string, { quick: Runner, long: Runner }>} */
const runners = new Map();
const coverage = copies[0] === undefined ? [] : recordCoverage(copies[0]);
await Promise.all(copies.map(work));
for (const { quick, long } of runners.values()) await Promise.all([quick.close(), long.close()]);
if (values.keep === undefined) {
  for (const copy of copies) spawnSync("git", ["worktree", "remove", "--force", copy], { cwd: root });
}
for (const folder of folders) report(folder, (mutant) => mutant.file.startsWith(`${folder}/`));
report("all", () => true);
for (const [stage, count] of byStage) console.log(`  ${stage}: ${count}`);
for (const mutant of missed) console.log(`  missed  ${describe(mutant)}`);

/**
 * Says which share of the mutants of one folder was noticed.
 *
 * @param {string} name
 * @param {(mutant: Mutant) => boolean} isIn
 */
function report(name, isIn) {
  const counted = mutants.filter(isIn).length - equivalent.filter(isIn).length;
  const noticed = counted - missed.filter(isIn).length;
  const share = counted === 0 ? "" : ` (${((100 * noticed) / counted).toFixed(1)} %)`;
  console.log(`${name}: noticed ${noticed} of ${counted}${share}`);
}

/** @param {string} copy */
async function work(copy) {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [index, mutant] = next;
    const number = String(index + 1).padStart(4);
    const path = join(copy, mutant.file);
    const text = readFileSync(path, "utf8");
    const reason = findReason(mutant, text);
    if (reason !== undefined) {
      equivalent.push(mutant);
      console.log(`${number}  equal     ${describe(mutant)}\n      ${reason}`);
      continue;
    }
    writeFileSync(path, text.slice(0, mutant.start) + mutant.is + text.slice(mutant.end));
    const noticed = await findNoticing(copy, mutant);
    writeFileSync(path, text);
    if (noticed === undefined) missed.push(mutant);
    else byStage.set(noticed.stage, (byStage.get(noticed.stage) ?? 0) + 1);
    console.log(`${number}  ${(noticed?.stage ?? "MISSED").padEnd(8)}  ${describe(mutant)}`);
    if (noticed !== undefined) console.log(`      ${noticed.by}`);
  }
}

/**
 * Why nobody can see a mutant, if that was judged.
 *
 * @param {Mutant} mutant
 * @param {string} text
 */
function findReason(mutant, text) {
  const line = text.split("\n")[mutant.line - 1] ?? "";
  const before = line.slice(0, mutant.column - 1).trimStart();
  const found = EQUIVALENT.find(
    (entry) => entry.file === mutant.file && entry.line === line.trim() && entry.before === before,
  );
  return found?.reason;
}

/**
 * The first stage that fails, and what failed in it.
 *
 * @param {string} copy
 * @param {Mutant} mutant
 * @returns {Promise<Noticed | undefined>}
 */
async function findNoticing(copy, mutant) {
  const [, name = "", , folder = ""] = mutant.file.split("/");
  const all = join("packages", name, "test");
  const near = existsSync(join(copy, all, folder)) ? join(all, folder) : all;
  const covering = findCovering(mutant);
  const first = covering.slice(0, FIRST_TESTS);
  const others = listTests(copy, near).filter((test) => !covering.includes(test));
  const { quick, long } = runners.get(copy) ?? createRunners(copy);
  /** @type {readonly (readonly [string, () => Promise<string | undefined>])[]} */
  const stages = [
    ["first", () => quick.findFailure(mutant.file, first)],
    ["calling", () => quick.findFailure(mutant.file, covering.slice(FIRST_TESTS))],
    ["near", () => quick.findFailure(mutant.file, others)],
    ["types", async () => compile(copy, name)],
    ["long", () => long.findFailure(mutant.file, listTests(copy, near))],
    ["package", () => quick.findFailure(mutant.file, listTests(copy, all))],
  ];
  const last = stages.findIndex(([stage]) => stage === values.depth);
  for (const [stage, find] of stages.slice(0, last + 1)) {
    const by = await find();
    if (by !== undefined) return { stage, by };
  }
  return undefined;
}

/** @param {string} copy */
function createRunners(copy) {
  const made = { quick: new Runner(copy, "vitest.config.ts"), long: new Runner(copy, "vitest.limits.config.ts") };
  runners.set(copy, made);
  return made;
}

/**
 * The tests that call the function of a mutant, those first that call its file and little else. What stands in no function matters
 * to all tests that call the file.
 *
 * @param {Mutant} mutant
 */
function findCovering({ file, within }) {
  return coverage
    .map(({ test, called }) => ({
      test,
      here: (called[file] ?? []).filter((name) => name !== ""),
      size: Object.values(called).flat().length,
    }))
    .filter(({ here }) => (within === undefined ? here.length > 0 : here.includes(within)))
    .toSorted((one, other) => other.here.length / other.size - one.here.length / one.size)
    .map(({ test }) => test);
}

/**
 * @param {string} copy
 * @param {string} folder
 */
function listTests(copy, folder) {
  return readdirSync(join(copy, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

/**
 * Runs those quick tests of the folders that were not recorded before, and returns what each file of tests calls.
 *
 * @param {string} copy
 * @returns {Coverage[]}
 */
function recordCoverage(copy) {
  const folder = values.coverage ?? mkdtempSync(join(tmpdir(), "coverage-"));
  /** @returns {Coverage[]} */
  const read = () =>
    existsSync(folder) ? readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8"))) : [];
  const known = new Set(read().map(({ test }) => test));
  const tests = folders
    .map((source) => source.replace("/src", "/test"))
    .filter((test) => existsSync(join(copy, test)))
    .flatMap((test) => listTests(copy, test))
    .filter((test) => !known.has(test));
  const options = ["run", "--config", "scripts/mutants/vitest.config.ts", "--maxWorkers", values.lanes];
  const env = { ...process.env, MUTANTS_COVERAGE: folder };
  const program = join(copy, "node_modules", ".bin", "vitest");
  if (tests.length > 0) spawnSync(program, [...options, ...tests], { cwd: copy, stdio: "ignore", env });
  return read();
}

/**
 * What the compiler says of a package.
 *
 * @param {string} copy
 * @param {string} name
 */
function compile(copy, name) {
  const program = join(copy, "node_modules", ".bin", "tsc");
  const { status, stdout } = spawnSync(program, ["-b", join("packages", name)], { cwd: copy, encoding: "utf8" });
  return status === 0 ? undefined : (stdout.split("\n")[0] ?? "");
}

/** @param {number} lane */
function checkOut(lane) {
  const copy =
    values.keep === undefined ? join(mkdtempSync(join(tmpdir(), "mutants-")), "copy") : `${values.keep}-${lane}`;
  if (existsSync(copy)) return copy;
  run("git", ["worktree", "add", "--quiet", "--detach", copy, "HEAD"], root);
  run("npm", ["run", "--silent", "setup"], copy);
  return copy;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

/**
 * All mutants of the files in a folder.
 *
 * @param {string} folder
 */
function listMutants(folder) {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => name.endsWith(".ts"))
    .toSorted()
    .flatMap((name) => mutantsOf(relative(root, join(root, folder, name))));
}

/**
 * @param {string} file
 * @returns {Mutant[]}
 */
function mutantsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const found = [];
  /** The functions around a node whose names a profile has. @type {string[]} */
  const within = [];
  visit(source);
  return found;

  /** @param {ts.Node} node */
  function visit(node) {
    const isType = ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
    if (isType || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const change = changeOf(node);
    if (change !== undefined) {
      const start = node.getStart(source);
      const { line, character } = source.getLineAndCharacterOfPosition(start);
      const end = change.end ?? node.getEnd();
      found.push({
        file,
        within: within.at(-1),
        start,
        end,
        was: source.text.slice(start, end),
        is: change.is,
        line: line + 1,
        column: character + 1,
      });
    }
    const name = ts.isFunctionLike(node) ? nameOf(node) : undefined;
    if (name !== undefined) within.push(name);
    ts.forEachChild(node, visit);
    if (name !== undefined) within.pop();
  }
}

/**
 * The name that a profile gives a function.
 *
 * @param {ts.SignatureDeclaration} node
 */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return ts.isClassLike(node.parent) ? node.parent.name?.text : undefined;
  const owner = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  if (owner === undefined || !(ts.isIdentifier(owner) || ts.isPrivateIdentifier(owner))) return undefined;
  const kind = ts.isGetAccessor(node) ? "get " : ts.isSetAccessor(node) ? "set " : "";
  return kind + owner.text;
}

/**
 * The text that takes the place of one token.
 *
 * @param {ts.Node} node
 * @returns {{ is: string, end?: number } | undefined}
 */
function changeOf(node) {
  const swap = ts.isBinaryExpression(node.parent ?? node) ? SWAPS.get(node.kind) : undefined;
  if (swap !== undefined) return { is: swap };
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { is: "false" };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { is: "true" };
  if (ts.isNumericLiteral(node)) return { is: `${node.text} + 1` };
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return { is: "", end: node.operand.getStart() };
  }
  // Sentences are for people: no test should hold each word of them.
  if (ts.isStringLiteral(node) && /^[^\s]+$/.test(node.text)) return { is: '"changed"' };
  if (ts.isIdentifier(node) && ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) {
    if (node.text === "some") return { is: "every" };
    if (node.text === "every") return { is: "some" };
  }
  return undefined;
}

/** @param {string} place */
function findAt(place) {
  const [file = "", line, column] = place.split(":");
  const found = mutantsOf(file).find(
    (mutant) => mutant.line === Number(line) && (column === undefined || mutant.column === Number(column)),
  );
  if (found === undefined) throw new Error(`Nothing can be changed at ${place}.`);
  return found;
}

/** @param {Mutant} mutant */
function describe({ file, line, column, was, is }) {
  return `${file}:${line}:${column}  ${was} -> ${is === "" ? "(nothing)" : is}`;
}

/**
 * @param {Mutant[]} all
 * @param {number} count
 */
function sample(all, count) {
  const left = [...all];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0],
  ).filter((mutant) => mutant !== undefined);
}

/**
 * A generator of numbers from 0 to 1 that repeats itself (mulberry32).
 *
 * @param {number} seed
 */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
