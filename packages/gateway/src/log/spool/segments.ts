import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The spool is a folder of segments, `0000000001.jsonl` and so on, with one record as JSON in each line. Records are appended
 * to the segment with the highest number, and read from the lowest; `position.json` says how far.
 */

const SEGMENT = /^(\d{10})\.jsonl$/;

/** How far the spool has been written to the database. */
export interface SpoolPosition {
  readonly segment: number;
  /** In bytes; the beginning of a line. */
  readonly offset: number;
}

/** The file of a segment. */
export function segmentFile(folder: string, segment: number): string {
  return join(folder, `${String(segment).padStart(10, "0")}.jsonl`);
}

/** The numbers of all segments, lowest first. Makes the folder if there is none. */
export async function listSegments(folder: string): Promise<readonly number[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  return names
    .flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => one - other);
}

/** Reads the position; the beginning of everything if there is none, or none that can be read: lines are then read again. */
export async function readPosition(folder: string): Promise<SpoolPosition> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, "position.json"), "utf8"));
    const { segment, offset } = value as { readonly segment?: unknown; readonly offset?: unknown };
    if (Number.isSafeInteger(segment) && Number.isSafeInteger(offset)) {
      return { segment: Number(segment), offset: Number(offset) };
    }
  } catch {
    // No position was ever written, or somebody has changed the file.
  }
  return { segment: 0, offset: 0 };
}

/** Replaces the position at once, so that a process that is killed leaves either the old one or the new one. */
export async function writePosition(folder: string, position: SpoolPosition): Promise<void> {
  const file = join(folder, "position.json");
  await writeFile(`${file}.new`, JSON.stringify({ segment: position.segment, offset: position.offset }), {
    mode: 0o600,
  });
  await rename(`${file}.new`, file);
}
