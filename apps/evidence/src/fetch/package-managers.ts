import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runGroup } from "../processes/process-group.ts";

/** How to install the packages of a lockfile. */
export interface PackageManager {
  readonly lockfile: string;
  /** Optional configuration files. */
  readonly settings: readonly string[];
  readonly command: readonly [program: string, ...args: string[]];
}

const isWindows = process.platform === "win32";

const NPM: PackageManager = {
  lockfile: "package-lock.json",
  settings: [],
  command: [isWindows ? "npm.cmd" : "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
};

/** Uses the pnpm that is a dependency of this repository. */
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

/** Time limit of an install, for registries that accept connections and never answer. */
const INSTALL_MS = 300_000;

/** Matches the messages of npm, pnpm and Node about a registry that is unreachable or answers with a 5xx status. */
const NETWORK_FAILURE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b|error sending request|FETCH_5\d\d/;

/** Packages could not be installed. */
export class FetchFailure extends Error {
  override readonly name = "FetchFailure";
  /** Whether the cause is the network or the registry, and not the manifest or the lockfile. */
  readonly isNetwork: boolean;

  constructor(message: string, isNetwork: boolean) {
    super(message);
    this.isNetwork = isNetwork;
  }
}

/** Chooses the package manager by the lockfile in a folder. */
export function findPackageManager(folder: string): PackageManager {
  const found = [NPM, PNPM].find(({ lockfile }) => existsSync(join(folder, lockfile)));
  if (found !== undefined) return found;
  throw new Error(`${folder} has no lockfile: expected ${NPM.lockfile} or ${PNPM.lockfile}.`);
}

/** Installs the packages of the lockfile in a folder, into that folder, without running install scripts. */
export async function installLocked({ command }: PackageManager, folder: string, title: string): Promise<void> {
  const run = await runGroup(command, { cwd: folder, shell: isWindows, milliseconds: INSTALL_MS });
  if (run.code === 0) return;
  const printed = `${run.stdout}\n${run.stderr}`.trim();
  const reason = run.isLate ? `not done within ${INSTALL_MS} ms` : printed.slice(-1500);
  throw new FetchFailure(`${title} could not be fetched: ${reason}`, run.isLate || NETWORK_FAILURE.test(printed));
}
