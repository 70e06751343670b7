import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { FolderProblem } from "./problems.ts";

/** A file that was found. */
export interface FoundFile {
  /** Its path below the folder, with slashes. */
  readonly path: string;
  /** Where it is, without symbolic links. */
  readonly place: string;
  readonly size: number;
}

/** What is in a folder. */
export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly problems: readonly FolderProblem[];
}

/** Whether to leave a file or a folder out, by its path. */
export type Ignore = (path: string) => boolean;

/** Bounds, so that a folder given by mistake, such as that of all projects, does not take minutes and the memory. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 32;

interface Folder {
  /** Below the folder that was given; empty for itself. */
  readonly path: string;
  readonly place: string;
  readonly depth: number;
}

/**
 * Finds all files in a folder, in the order of their paths. Symbolic links are followed as long as they stay in it: a link to a key or
 * to `/etc` would give away what was never meant to be served.
 *
 * @param root its place, without symbolic links
 */
export async function findFiles(root: string, ignore: Ignore): Promise<FoundFiles> {
  const files: FoundFile[] = [];
  const problems: FolderProblem[] = [];
  const folders: Folder[] = [{ path: "", place: root, depth: 0 }];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder.place, { withFileTypes: true })) {
      const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
      if (ignore(path)) continue;
      entries += 1;
      if (entries > MAX_ENTRIES) {
        problems.push({
          file: "",
          problem: `It has more than ${MAX_ENTRIES} files and folders. Open a smaller folder.`,
        });
        return { files, problems };
      }
      const found = await follow(root, folder, join(folder.place, entry.name), entry.isSymbolicLink(), ignore);
      if (typeof found === "string") problems.push({ file: path, problem: found });
      else if (found.isFolder) folders.push({ path, place: found.place, depth: folder.depth + 1 });
      else files.push({ path, place: found.place, size: found.size });
    }
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), problems };
}

interface Found {
  readonly place: string;
  readonly isFolder: boolean;
  readonly size: number;
}

/** What is at a place, or why it cannot be served. */
async function follow(
  root: string,
  folder: Folder,
  given: string,
  isLink: boolean,
  ignore: Ignore,
): Promise<Found | string> {
  let place = given;
  if (isLink) {
    try {
      place = await realpath(given);
    } catch {
      return "It is a symbolic link that leads nowhere.";
    }
    const target = relative(root, place).split(sep);
    if (target[0] === "" || target[0] === "..") return "It is a symbolic link that leads out of the folder of skills.";
    const hidden = target.some((_, index) => ignore(target.slice(0, index + 1).join("/")));
    if (hidden) return "It is a symbolic link to something that is left out.";
    if (`${folder.place}${sep}`.startsWith(`${place}${sep}`)) return "It is a symbolic link to a folder that it is in.";
  }
  const { size, ...kind } = await describe(place);
  if (kind.isFolder && folder.depth >= MAX_DEPTH) return `It is nested more than ${MAX_DEPTH} folders deep.`;
  if (kind.isFolder || kind.isFile) return { place, size, isFolder: kind.isFolder };
  return "It is neither a file nor a folder.";
}

async function describe(place: string): Promise<{ size: number; isFile: boolean; isFolder: boolean }> {
  const found = await stat(place);
  return { size: found.size, isFile: found.isFile(), isFolder: found.isDirectory() };
}
