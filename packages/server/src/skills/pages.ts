import type { RpcError } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";

/** A part of a list, and where it goes on. */
export interface CutPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/**
 * Writes a cursor: the next page begins after the thing with this URI, whether or not it is still there. The server keeps nothing for
 * it, and a client learns nothing from it that it has not been told.
 */
export function writeCursor(list: string, uri: string): string {
  return btoa(`${list} ${uri}`);
}

/** Reads the URI in a cursor. Refuses text that {@link writeCursor} did not write for this list with -32602. */
export function readCursor(list: string, cursor: string): string {
  const text = decode(cursor);
  if (text?.startsWith(`${list} `) !== true) throw invalidCursor();
  const uri = text.slice(list.length + 1);
  if (writeCursor(list, uri) !== cursor) throw invalidCursor();
  return uri;
}

/** The page of a sorted list that begins at a cursor. */
export function cutPage<T extends { readonly uri: string }>(
  list: string,
  items: readonly T[],
  cursor: string | undefined,
  size: number,
): CutPage<T> {
  const after = cursor === undefined ? "" : readCursor(list, cursor);
  const rest = items.filter(({ uri }) => uri > after);
  const shown = rest.slice(0, size);
  const last = shown.at(-1);
  if (last === undefined || shown.length === rest.length) return { items: shown };
  return { items: shown, nextCursor: writeCursor(list, last.uri) };
}

function decode(cursor: string): string | undefined {
  try {
    return atob(cursor);
  } catch {
    return undefined;
  }
}

function invalidCursor(): RpcError {
  return invalidParams("Invalid cursor: use a `nextCursor` as it came, or none for the first page.");
}
