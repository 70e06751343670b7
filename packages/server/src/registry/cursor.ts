import { invalidParams } from "../errors.ts";

/**
 * Where the next page of a list begins: after the entry with this number. Nothing is kept for a cursor, so it works on
 * every machine that serves the same definition, and survives additions and removals.
 */
export function writeCursor(list: string, position: number): string {
  return btoa(`${list}:${position}`);
}

/** The position in a cursor. Refuses what {@link writeCursor} never wrote for this list with -32602. */
export function readCursor(list: string, cursor: string, last: number): number {
  const position = Number(decode(cursor)?.slice(list.length + 1));
  if (!(Number.isInteger(position) && position >= 1 && position <= last && writeCursor(list, position) === cursor)) {
    throw invalidParams("Invalid cursor: use a `nextCursor` as it came, or none for the first page.");
  }
  return position;
}

function decode(cursor: string): string | undefined {
  try {
    return atob(cursor);
  } catch {
    return undefined;
  }
}
