// Facts about this repository for the checks, read from the manifests so that no list can go stale.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * @typedef {object} EntryPoint
 * @property {string} specifier what users import, e.g. `@toolwire/server/http`
 * @property {string} name a file name for it, e.g. `http`; the main entry point is `index`
 * @property {string} source path of its source file
 * @property {string} types path of its declaration file
 */

/**
 * @typedef {object} PublishedPackage
 * @property {string} name
 * @property {string} directory
 * @property {EntryPoint[]} entryPoints
 */

/** The repository's root directory. */
export const root = join(import.meta.dirname, "..");

/** @returns {PublishedPackage[]} */
export function listPublishedPackages() {
  return readdirSync(join(root, "packages")).map((folder) => {
    const directory = join(root, "packages", folder);
    /** @type {{ name: string, exports: Record<string, { "@toolwire/source": string | { node: string }, types: string }> }} */
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    // An export that is no module, such as a JSON Schema, is a path and has no conditions.
    const modules = Object.entries(manifest.exports).filter(([, target]) => typeof target === "object");
    const entryPoints = modules.map(([subpath, target]) => ({
      specifier: manifest.name + subpath.slice(1),
      name: subpath === "." ? "index" : subpath.slice(2).replaceAll("/", "-"),
      source: join(directory, sourceOf(target["@toolwire/source"])),
      types: join(directory, target.types),
    }));
    return { name: manifest.name, directory, entryPoints };
  });
}

/**
 * The source of an entry point. Where conditions choose among several, Node's has all exports.
 *
 * @param {string | { node: string }} source
 */
function sourceOf(source) {
  return typeof source === "string" ? source : source.node;
}

/**
 * Packs a package exactly as it would be published.
 *
 * @param {string} packageDirectory
 * @param {string} destination
 * @returns {string} path of the tarball
 */
export function packPackage(packageDirectory, destination) {
  const output = run("pnpm", ["pack", "--json", "--pack-destination", destination], packageDirectory);
  return JSON.parse(output).filename;
}

/**
 * Files a commit could contain: tracked, or new and not ignored.
 *
 * @param {...string} patterns
 */
export function listRepositoryFiles(...patterns) {
  const output = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns]);
  const deleted = run("git", ["ls-files", "-z", "--deleted"]).split("\0");
  return output.split("\0").filter((file) => file !== "" && !deleted.includes(file));
}

/**
 * Runs a command of this repository's toolchain and returns what it printed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {string} [directory]
 * @returns {string}
 */
export function run(command, args, directory = root) {
  const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(process.platform === "win32" ? ";" : ":");
  return execFileSync(command, args, {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
}

/**
 * Lends a temporary directory to `use`, and removes it afterwards.
 *
 * @template T
 * @param {(directory: string) => T} use
 * @param {string} [parent]
 * @returns {T}
 */
export function withTemporaryDirectory(use, parent = tmpdir()) {
  const directory = mkdtempSync(join(parent, ".toolwire-"));
  try {
    return use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Ends a check: prints each problem and fails, or prints what was found to be in order.
 *
 * @param {string[]} problems
 * @param {string} success
 */
export function report(problems, success) {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(success);
}
