import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runGroup } from "../processes/process-group.ts";

/** Installs exactly what its lockfile names. */
export interface PackageManager {
  readonly lockfile: string;
  /** Further files that it reads, if they are there. */
  readonly settings: readonly string[];
  readonly command: readonly [program: string, ...args: string[]];
}

const isWindows = process.platform === "win32";

const NPM: PackageManager = {
  lockfile: "package-lock.json",
  settings: [],
  command: [isWindows ? "npm.cmd" : "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
};

/** The pnpm that this repository depends on. */
const PNPM: PackageManager = {
  lockfile: "pnpm-lock.yaml",
  settings: ["pnpm-workspace.yaml"],
  command: [
    fileURLToPath(new URL(`../../../../node_modules/.bin/pnpm${isWindows ? ".cmd" : ""}`, import.meta.url)),
    "install",
    "--frozen-lockfile",
    "--ignore-scripts",
    "--reporter=append-only",
  ],
};

/** An install that takes longer waits for a registry that does not answer. */
const INSTALL_MS = 300_000;

/** How npm, pnpm and Node say that a registry cannot be reached, or is out of order. */
const NETWORK_FAILURE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b|error sending request|FETCH_5\d\d/;

/** Why something could not be fetched. */
export class FetchFailure extends Error {
  override readonly name = "FetchFailure";
  /** Whether the registry could not be reached: nothing is wrong with what was asked for. */
  readonly isNetwork: boolean;

  constructor(message: string, isNetwork: boolean) {
    super(message);
    this.isNetwork = isNetwork;
  }
}

/** The package manager whose lockfile is in a folder. */
export function findPackageManager(folder: string): PackageManager {
  const found = [NPM, PNPM].find(({ lockfile }) => existsSync(join(folder, lockfile)));
  if (found !== undefined) return found;
  throw new Error(`${folder} has no lockfile: expected ${NPM.lockfile} or ${PNPM.lockfile}.`);
}

/** Installs what the lockfile in a folder names, into that folder. No install script is run. */
export async function installLocked({ command }: PackageManager, folder: string, title: string): Promise<void> {
  const run = await runGroup(command, { cwd: folder, shell: isWindows, milliseconds: INSTALL_MS });
  if (run.code === 0) return;
  const printed = `${run.stdout}\n${run.stderr}`.trim();
  const reason = run.isLate ? `not done within ${INSTALL_MS} ms` : printed.slice(-1500);
  throw new FetchFailure(`${title} could not be fetched: ${reason}`, run.isLate || NETWORK_FAILURE.test(printed));
}
