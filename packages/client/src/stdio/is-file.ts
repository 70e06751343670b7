import { lstatSync, statSync, type StatSyncOptions } from "node:fs";

const MISSING_IS_FINE = { throwIfNoEntry: false } as const satisfies StatSyncOptions;

/**
 * Whether there is a file at this path, possibly one that can be run but not looked at: programs from the Microsoft
 * Store, `python` among them, are links of a kind that Node cannot follow.
 */
export function isFile(path: string): boolean {
  try {
    return statSync(path, MISSING_IS_FINE)?.isFile() === true;
  } catch {
    return isLink(path);
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, MISSING_IS_FINE)?.isDirectory() === false;
  } catch {
    // Not even its directory can be read.
    return false;
  }
}
