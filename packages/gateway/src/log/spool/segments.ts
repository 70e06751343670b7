import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The spool is a folder of segments, `0000000001.jsonl` and so on, with one record as JSON in each line. Records are appended
 * to the segment with the highest number, and read from the lowest; `position.json` says how far.
 */

/** Ten digits, and more after a damaged folder has made the numbers jump. */
const SEGMENT = /^(\d{10}|[1-9]\d{10,})\.jsonl$/;
/** Numbers from here on are not ours: there would soon be no next one. */
const LAST_SEGMENT = 2 ** 52;
const POSITION = "position.json";

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
    .filter((number) => number <= LAST_SEGMENT)
    .toSorted((one, other) => one - other);
}

/** The file that says how far the spool has been read. */
export function positionFile(folder: string): string {
  return join(folder, POSITION);
}

/** Reads the position; the beginning of everything if there is none, or none that can be read: lines are then read again. */
export async function readPosition(folder: string): Promise<SpoolPosition> {
  try {
    const value: unknown = JSON.parse(await readFile(positionFile(folder), "utf8"));
    const { segment, offset } = value as { readonly segment?: unknown; readonly offset?: unknown };
    if (isCount(segment) && isCount(offset) && segment <= LAST_SEGMENT) return { segment, offset };
  } catch {
    // No position was ever written, or somebody has changed the file.
  }
  return BEGINNING;
}

/** The position before everything. */
export const BEGINNING: SpoolPosition = { segment: 0, offset: 0 };

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Replaces the position at once, so that a process that is killed leaves either the old one or the new one. */
export async function writePosition(folder: string, position: SpoolPosition): Promise<void> {
  const file = positionFile(folder);
  await writeFile(`${file}.new`, JSON.stringify({ segment: position.segment, offset: position.offset }), {
    mode: 0o600,
  });
  await rename(`${file}.new`, file);
}
