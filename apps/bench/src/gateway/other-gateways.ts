/** Gateways of others, fetched on first use into a folder outside of the workspace. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The gateways, once they were fetched. */
export interface OtherGateways {
  /** Returns the path of the first program in `bin` of a package. */
  findProgram(name: string): string;
  versionOf(name: string): string;
}

const LOCK = fileURLToPath(new URL("../../gateways/", import.meta.url));
const FOLDER = fileURLToPath(new URL("../../node_modules/.gateways/", import.meta.url));
const FILES = ["package.json", "package-lock.json"];
/** Written last: an install that was cut off must not look like one that went well. */
const MARK = "installed";

interface Manifest {
  readonly version: string;
  readonly bin?: string | { readonly [command: string]: string };
}

/** Installs exactly what the lockfile names, once. Runs no install scripts. Throws if that fails. */
export function fetchOtherGateways(): OtherGateways {
  if (!isInstalled()) {
    mkdirSync(FOLDER, { recursive: true });
    rmSync(join(FOLDER, MARK), { force: true });
    for (const file of FILES) copyFileSync(join(LOCK, file), join(FOLDER, file));
    const { status, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: FOLDER,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`Other gateways could not be fetched: ${stderr.trim().slice(-500)}`);
    writeFileSync(join(FOLDER, MARK), "");
  }
  const read = (name: string): Manifest =>
    JSON.parse(readFileSync(join(FOLDER, "node_modules", name, "package.json"), "utf8")) as Manifest;
  return {
    findProgram(name) {
      const { bin } = read(name);
      const file = typeof bin === "object" ? Object.values(bin)[0] : bin;
      if (file === undefined) throw new Error(`${name} comes without a program.`);
      return join(FOLDER, "node_modules", name, file);
    },
    versionOf: (name) => read(name).version,
  };
}

function isInstalled(): boolean {
  const isSame = (file: string): boolean =>
    existsSync(join(FOLDER, file)) &&
    readFileSync(join(FOLDER, file), "utf8") === readFileSync(join(LOCK, file), "utf8");
  return existsSync(join(FOLDER, MARK)) && FILES.every(isSame);
}
