/**
 * Lists of which callers see different parts. Pages are filled with what the caller may see, and cursors hold only what it
 * knows already, so that nothing tells how many entries are hidden.
 */
import { readShownCursor, writeShownCursor } from "./pages.ts";
import type { Entry } from "./registry.ts";

/** Whether the caller may see an item of a list. */
export type Shows = (item: object) => Promise<boolean>;

/** One page of what a caller may see. */
export interface ShownPage {
  readonly items: readonly object[];
  readonly nextCursor: string | undefined;
}

/** The page of a list that begins at a cursor. Throws an `RpcError` for a bad one. */
export async function pageOfShown(
  list: string,
  entries: readonly Entry[],
  cursor: string | undefined,
  size: number,
  shows: Shows,
): Promise<ShownPage> {
  const isShown = ({ listing }: Entry): Promise<boolean> => shows(listing);
  const place = cursor === undefined ? undefined : readShownCursor(list, cursor);
  const start = place === undefined ? 0 : await findStart(entries, place.shown, place.name, isShown);
  const { taken, hasMore } = await takeShown(entries.slice(start), size, isShown);
  const last = taken.at(-1);
  const shown = (place?.shown ?? 0) + taken.length;
  return {
    items: taken.map(({ listing }) => listing),
    nextCursor: hasMore && last !== undefined ? writeShownCursor(list, { shown, name: last.name }) : undefined,
  };
}

/** The number of entries that are asked about at once, at least: asking may take a while for each. */
const AT_ONCE = 32;

/** Takes as many as there is room for of those that are shown, and finds out whether there is another one. */
export async function takeShown<T>(
  entries: readonly T[],
  room: number,
  isShown: (entry: T) => Promise<boolean>,
): Promise<{ readonly taken: readonly T[]; readonly hasMore: boolean }> {
  const taken: T[] = [];
  for (let start = 0; start < entries.length;) {
    const asked = entries.slice(start, start + Math.max(room + 1 - taken.length, AT_ONCE));
    start += asked.length;
    const verdicts = await Promise.all(asked.map(isShown));
    for (const [index, entry] of asked.entries()) {
      if (verdicts[index] !== true) continue;
      if (taken.length === room) return { taken, hasMore: true };
      taken.push(entry);
    }
  }
  return { taken, hasMore: false };
}

/**
 * How many entries come before the rest of a list of which so many were shown, the one with this name last. If that is gone,
 * what followed it has taken its place. One that is hidden is as good as gone: a name may be made up.
 */
async function findStart(
  entries: readonly Entry[],
  shown: number,
  name: string,
  isShown: (entry: Entry) => Promise<boolean>,
): Promise<number> {
  const last = entries.find((entry) => entry.name === name);
  if (last !== undefined && (await isShown(last))) return entries.indexOf(last) + 1;
  const { taken } = await takeShown(entries, shown - 1, isShown);
  const before = taken.at(-1);
  return before === undefined ? 0 : entries.indexOf(before) + 1;
}
