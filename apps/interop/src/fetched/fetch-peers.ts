import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fetchLocked, findNode, type FetchedPackages, type FoundNode } from "@toolwire/evidence";

/** Packages that are too heavy to be dependencies of the workspace, after they were fetched. */
export interface FetchedPeers extends FoundNode {
  /** A copy of the compiled programs of this app, from which fetched packages can be imported. */
  readonly programs: string;
  /** Returns the path of the first program in `bin` of a package. */
  readonly findProgram: (name: string) => string;
}

/** mcporter needs it; others need 22. */
const NEEDED_NODE = 24;
const TITLE = "bridges, libraries and servers";

/** Installs the packages of the lockfile in a folder, once, and copies the compiled programs of this app next to them. */
export async function fetchPeers(lock: string, programs: string, directory: string): Promise<FetchedPeers> {
  const packages = await fetchLocked({ title: TITLE, lock, directory });
  const copy = join(directory, "programs");
  rmSync(copy, { recursive: true, force: true });
  cpSync(programs, copy, { recursive: true });
  return {
    ...findNode(packages, NEEDED_NODE, TITLE),
    programs: copy,
    findProgram: (name) => findProgram(packages, name),
  };
}

function findProgram(packages: FetchedPackages, name: string): string {
  const found = packages.find(name);
  if (found === undefined) throw new Error(`${name} is not among the packages that were fetched.`);
  const { bin } = found.manifest as { readonly bin?: string | { readonly [command: string]: string } };
  const file = typeof bin === "object" ? Object.values(bin)[0] : bin;
  if (file === undefined) throw new Error(`${name} comes without a program.`);
  return join(found.folder, file);
}
