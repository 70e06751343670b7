// Do imports point one way along the folders of each package?
//
// The README of a package lists its folders between `<!-- folders -->` and `<!-- /folders -->`, one a line. The first code
// span of a line is the folder (`registry/`), or a file of `src` (`server.ts`). A file may import its own folder and what is
// listed above it. Files directly in `src` that are not listed may import everything and be imported by everything.
// `legacy/` may import everything; outside of it, only the lines in `legacy-lines.mjs` may import it.
//
//   node scripts/check-folders.mjs [--strict] [--through-files] [DIRECTORY]
//
// Without `--strict`, packages without a list are not checked. `--through-files` also follows imports through unlisted
// files of `src`: a folder must not reach through them what it must not import itself.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { report, root } from "./workspace.mjs";

/**
 * @typedef {object} Import
 * @property {string} file path below `src`, with slashes
 * @property {number} line
 * @property {string} text the line, without indentation
 * @property {string} target path below `src`, with slashes
 */

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const [directory = root] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isStrict = options.includes("--strict");
const followsFiles = options.includes("--through-files");

const table = pathToFileURL(join(directory, "scripts", "legacy-lines.mjs")).href;
/** @type {typeof import("./legacy-lines.mjs")} */
const { LEGACY_LINES, MOST_LEGACY_LINES } = await import(table);

/** @type {string[]} */
const problems = [];
let checked = 0;

for (const name of readdirSync(join(directory, "packages")).toSorted()) {
  if (existsSync(join(directory, "packages", name, "src"))) checkPackage(name);
}
report(problems, `${checked} imports between folders point one way`);

/** @param {string} name */
function checkPackage(name) {
  const place = `packages/${name}`;
  const units = readOrder(join(directory, place, "README.md"));
  if (units === undefined) {
    const complaint = `${place}/README.md has no list of folders between <!-- folders --> and <!-- /folders -->`;
    if (isStrict) problems.push(complaint);
    else console.warn(`${complaint}: not checked`);
    return;
  }
  const files = listSources(join(directory, place, "src"));
  const imports = files.flatMap((file) => readImports(name, file));
  for (const unit of units.filter((each) => !files.some((file) => unitOf(file, units) === each))) {
    problems.push(`${place}/README.md: \`${unit}\` is in the list of folders, but src has nothing of that name`);
  }
  const folders = new Set(
    files.filter((file) => file.includes("/")).map((file) => file.slice(0, file.indexOf("/") + 1)),
  );
  for (const folder of folders) {
    const isListed = units.some((unit) => unit === folder || unit.startsWith(folder)) || isLegacy(folder);
    if (!isListed) problems.push(`${place}/src/${folder} is not in the list of folders in ${place}/README.md`);
  }
  checkOrder(place, units, imports);
  checkLegacy(name, imports);
}

/**
 * @param {string} place
 * @param {string[]} units
 * @param {Import[]} imports
 */
function checkOrder(place, units, imports) {
  for (const each of imports.filter(({ file }) => !isLegacy(file))) {
    const from = unitOf(each.file, units);
    if (from === undefined) continue;
    for (const { target, through } of followsFiles ? reach(each.target, units, imports) : [{ target: each.target }]) {
      const to = unitOf(target, units);
      if (to === undefined || to === from || isLegacy(target)) continue;
      checked += 1;
      const allowed = units.slice(0, units.indexOf(from));
      if (allowed.includes(to)) continue;
      problems.push(
        `${place}/src/${each.file}:${each.line}: imports ${target}${through === undefined ? "" : ` through ${through}`}, ` +
          `but \`${from}\` may import ${allowed.length === 0 ? "no other folder" : `only ${allowed.join(", ")}`}`,
      );
    }
  }
}

/**
 * @param {string} name
 * @param {Import[]} imports
 */
function checkLegacy(name, imports) {
  const lines = LEGACY_LINES[name] ?? {};
  const count = Object.values(lines).flat().length;
  if (count > MOST_LEGACY_LINES) {
    problems.push(`scripts/legacy-lines.mjs: ${name} has ${count} lines, but at most ${MOST_LEGACY_LINES} are allowed`);
  }
  for (const { file, line, text, target } of imports) {
    if (!isLegacy(target) || isLegacy(file) || lines[`src/${file}`]?.includes(text)) continue;
    problems.push(
      `packages/${name}/src/${file}:${line}: imports ${target}, ` +
        "but outside of legacy/ only the lines in scripts/legacy-lines.mjs may import it",
    );
  }
}

/**
 * The listed folders and files, lowest first.
 *
 * @param {string} readme
 * @returns {string[] | undefined}
 */
function readOrder(readme) {
  const list = /<!-- folders -->([^]*?)<!-- \/folders -->/.exec(
    existsSync(readme) ? readFileSync(readme, "utf8") : "",
  )?.[1];
  const units = list?.split("\n").flatMap((line) => /^[^`]*`(?:src\/)?([\w./-]+(?:\/|\.ts))`/.exec(line)?.[1] ?? []);
  return units?.filter((unit) => unit !== "legacy/");
}

/**
 * The listed folder or file that a file belongs to, the innermost one if several are listed.
 *
 * @param {string} file
 * @param {string[]} units
 */
function unitOf(file, units) {
  const candidates = units.filter((unit) => file === unit || (unit.endsWith("/") && file.startsWith(unit)));
  return candidates.toSorted((one, other) => other.length - one.length)[0];
}

/**
 * The files that an import leads to: its target, and what unlisted files of `src` import in turn.
 *
 * @param {string} first
 * @param {string[]} units
 * @param {Import[]} imports
 */
function reach(first, units, imports) {
  /** @type {Map<string, string | undefined>} */
  const found = new Map([[first, undefined]]);
  for (const [file, through] of found) {
    if (unitOf(file, units) !== undefined || isLegacy(file)) continue;
    for (const { target } of imports.filter((each) => each.file === file)) {
      if (!found.has(target)) found.set(target, through === undefined ? file : `${through} and ${file}`);
    }
  }
  return [...found].map(([target, through]) => ({ target, through }));
}

/** @param {string} file */
function isLegacy(file) {
  return file.startsWith("legacy/");
}

/** @param {string} source */
function listSources(source) {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"))
    .toSorted();
}

/**
 * All imports of files of the same package, types included, and those by way of the manifest's `imports`.
 *
 * @param {string} name
 * @param {string} file
 * @returns {Import[]}
 */
function readImports(name, file) {
  const lines = readFileSync(join(directory, "packages", name, "src", file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const text = line.trim();
    if (/^(?:\*|\/\/|\/\*)/.test(text)) return [];
    return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([.#][^"]*)"/g)].flatMap(([, specifier = ""]) => {
      const targets = specifier.startsWith("#")
        ? readMapped(name, specifier)
        : [posix.join(posix.dirname(file), specifier)];
      return targets.map((target) => ({ file, line: index + 1, text, target }));
    });
  });
}

/**
 * The sources that a specifier such as `#compiler` stands for.
 *
 * @param {string} name
 * @param {string} specifier
 * @returns {string[]}
 */
function readMapped(name, specifier) {
  const manifest = JSON.parse(readFileSync(join(directory, "packages", name, "package.json"), "utf8"));
  return leavesOf(manifest.imports?.[specifier])
    .filter((path) => path.startsWith("./src/"))
    .map((path) => path.slice("./src/".length));
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
function leavesOf(value) {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];
}
