import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fetchLocked, findNode, type FetchedPackages, type FoundNode } from "@toolwire/evidence";

/** The packages of other people that are too heavy to be installed with everything else. */
export interface FetchedPeers extends FoundNode {
  /** The programs of this app, next to the packages, so that they can import them. */
  readonly programs: string;
  /** The program that a package comes with. */
  readonly findProgram: (name: string) => string;
}

/** Some of them need it. */
const NEEDED_NODE = 24;
const TITLE = "bridges, libraries and servers";

/** Fetches what is locked in a folder, once, and puts the compiled programs of this app next to it. */
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
