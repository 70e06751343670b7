import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPackageManager, installLocked, type PackageManager } from "./package-managers.ts";

/** Packages that were fetched for one purpose, outside of the workspace. */
export interface FetchedPackages {
  /** Where they are installed. */
  readonly directory: string;
  /** The manifest of one of them and its folder; `undefined` if there is none for this platform. */
  find(name: string): FetchedPackage | undefined;
}

/** One of the packages. */
export interface FetchedPackage {
  readonly folder: string;
  readonly manifest: { readonly version: string; readonly [field: string]: unknown };
}

/** A lockfile to install, and the place for it. */
export interface FetchRequest {
  /** The name in the line that is printed while it is fetched. */
  readonly title: string;
  /** The folder with `package.json` and the lockfile. */
  readonly lock: string;
  /** Where the packages go. */
  readonly directory: string;
}

/**
 * Installs exactly what a lockfile of npm or pnpm names, once: again only if that has changed. No install script is
 * run. Rejects with a `FetchFailure`.
 */
export async function fetchLocked({ title, lock, directory }: FetchRequest): Promise<FetchedPackages> {
  const manager = findPackageManager(lock);
  if (!isInstalled(manager, lock, directory)) {
    console.log(`Fetching ${title} …`);
    await install(manager, { title, lock, directory });
  }
  return { directory, find: (name) => findPackage(join(directory, "node_modules", name)) };
}

function isInstalled(manager: PackageManager, lock: string, directory: string): boolean {
  const isSame = (file: string): boolean => readText(join(lock, file)) === readText(join(directory, file));
  return existsSync(markOf(directory)) && filesOf(manager).every(isSame);
}

function filesOf({ lockfile, settings }: PackageManager): readonly string[] {
  return ["package.json", lockfile, ...settings];
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

async function install(manager: PackageManager, { title, lock, directory }: FetchRequest): Promise<void> {
  mkdirSync(directory, { recursive: true });
  // An install that is cut off must not look like one that went well.
  rmSync(markOf(directory), { force: true });
  for (const file of filesOf(manager)) {
    if (existsSync(join(lock, file))) copyFileSync(join(lock, file), join(directory, file));
  }
  await installLocked(manager, directory, title);
  writeFileSync(markOf(directory), "");
}

function markOf(directory: string): string {
  return join(directory, "installed");
}

function findPackage(folder: string): FetchedPackage | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  return { folder, manifest: JSON.parse(readFileSync(file, "utf8")) as FetchedPackage["manifest"] };
}
