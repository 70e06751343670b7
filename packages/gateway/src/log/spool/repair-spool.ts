import { lstat, mkdir, open, readdir, readFile, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BEGINNING, listSegments, positionFile, readPosition, segmentFile, writePosition } from "./segments.ts";

/**
 * Puts a spool in order that a full disk, a restored backup or a person has damaged, before anybody reads or writes it. What
 * cannot be used is set aside under another name, never deleted. A position that cannot be right is moved back to where all
 * whole records are read again: the database knows the ids of those that it has.
 *
 * Returns what was done, for the operator.
 */
export async function repairSpool(folder: string): Promise<readonly string[]> {
  const notices: string[] = [];
  await setAsideUnless("directory", folder, notices);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const segment of await listSegments(folder)) {
    await setAsideUnless("file", segmentFile(folder, segment), notices);
  }
  await setAsideUnless("file", `${positionFile(folder)}.new`, notices);
  await setAsideUnless("file", positionFile(folder), notices);
  const problem = await findPositionProblem(folder);
  if (problem !== undefined) {
    notices.push(`${positionFile(folder)} ${problem}, so all records in the spool are read again from the first one.`);
    await writePosition(folder, BEGINNING);
  }
  return notices;
}

/** Renames what has the name of a part of the spool and is something else, such as a folder. */
async function setAsideUnless(expected: "file" | "directory", path: string, notices: string[]): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (found === undefined || (expected === "file" ? found.isFile() : found.isDirectory())) return;
  // A spool may be on another disk, behind a link.
  if (found.isSymbolicLink() && (await leadsTo(expected, path))) return;
  const aside = await freeName(path);
  await rename(path, aside);
  notices.push(`${path} is no ${expected}. It was renamed to ${aside}.`);
}

async function leadsTo(expected: "file" | "directory", path: string): Promise<boolean> {
  const handle = await open(path).catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const target = await handle.stat();
    return expected === "file" ? target.isFile() : target.isDirectory();
  } finally {
    await handle.close();
  }
}

async function freeName(path: string): Promise<string> {
  const taken = new Set(await readdir(dirname(path)));
  let number = 1;
  while (taken.has(`${basename(path)}.set-aside-${number}`)) number += 1;
  return join(dirname(path), `${basename(path)}.set-aside-${number}`);
}

/** Says what is wrong with the position, if the reader cannot have stopped there. */
async function findPositionProblem(folder: string): Promise<string | undefined> {
  const text = await readFile(positionFile(folder), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { segment, offset } = await readPosition(folder);
  if (segment === BEGINNING.segment && offset === BEGINNING.offset) {
    return text === JSON.stringify(BEGINNING) ? undefined : "is damaged";
  }
  const [first] = await listSegments(folder);
  // There always is a segment, and those before the position are removed before it moves on.
  if (first === undefined) return "names a segment that does not exist";
  if (first < segment) return "names a segment behind others that were not read yet";
  if (first > segment || offset === 0) return undefined;
  return (await isLineStart(segmentFile(folder, segment), offset)) ? undefined : "names no beginning of a line";
}

/** Whether a line begins at the offset. The last line of a segment may lack its end, if a process was killed. */
async function isLineStart(path: string, offset: number): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (offset >= size) return offset === size;
    const before = Buffer.alloc(1);
    await file.read(before, 0, 1, offset - 1);
    return before[0] === 10;
  } finally {
    await file.close();
  }
}
