import { join } from "node:path";
import { fetchLocked, findNode, type FoundNode } from "@toolwire/evidence";

/** The official suite, installed and with a Node that can run it. */
export interface Suite extends FoundNode {
  readonly version: string;
  /** The suite's program. */
  readonly program: string;
  /** Where its packages are. */
  readonly directory: string;
}

const NEEDED_NODE = 22;
const SUITE = "@modelcontextprotocol/conformance";
const TITLE = "the conformance suite";

/**
 * Installs the suite and a Node for it from the lockfile in `suite/`, once. They are fetched for this purpose alone: the
 * suite wants a newer Node than this project does.
 */
export async function fetchSuite(lock: string, directory: string): Promise<Suite> {
  const packages = await fetchLocked({ title: TITLE, lock, directory });
  const suite = packages.find(SUITE);
  if (suite === undefined) throw new Error(`${SUITE} is not among the packages in ${lock}.`);
  const { version, bin } = suite.manifest as { version: string; bin: { conformance: string } };
  const found = findNode(packages, NEEDED_NODE, TITLE);
  return { ...found, version, directory, program: join(suite.folder, bin.conformance) };
}
