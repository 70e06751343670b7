import type { RpcError } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";

/**
 * Writes a cursor: the next page of a list begins after the entry with this number. The server keeps nothing for a cursor,
 * so it works on every machine that serves the same definition, and survives additions and removals.
 */
export function writeCursor(list: string, position: number): string {
  return btoa(`${list}:${position}`);
}

/** Reads the position in a cursor. Refuses text that {@link writeCursor} did not write for this list with -32602. */
export function readCursor(list: string, cursor: string, last: number): number {
  const position = Number(decode(cursor)?.slice(list.length + 1));
  if (!(Number.isInteger(position) && position >= 1 && position <= last && writeCursor(list, position) === cursor)) {
    throw invalidCursor();
  }
  return position;
}

/** A place in a list of which callers see different parts, described by what this caller has seen. */
export interface ShownPlace {
  /** How many entries were shown. */
  readonly shown: number;
  /** The name of the last of them. */
  readonly name: string;
}

/**
 * Writes a cursor for such a list. The number of an entry, as in other cursors, would tell how many entries before it are
 * hidden.
 */
export function writeShownCursor(list: string, { shown, name }: ShownPlace): string {
  return btoa(`${list}:${shown}:${name}`);
}

/** Reads the place in a cursor. Refuses text that {@link writeShownCursor} did not write for this list with -32602. */
export function readShownCursor(list: string, cursor: string): ShownPlace {
  const [, shown = "", name = ""] = /^\w+:(\d{1,15}):(.*)$/.exec(decode(cursor) ?? "") ?? [];
  const place = { shown: Number(shown), name };
  if (place.shown < 1 || writeShownCursor(list, place) !== cursor) throw invalidCursor();
  return place;
}

function invalidCursor(): RpcError {
  return invalidParams("Invalid cursor: use a `nextCursor` as it came, or none for the first page.");
}

function decode(cursor: string): string | undefined {
  try {
    return atob(cursor);
  } catch {
    return undefined;
  }
}
