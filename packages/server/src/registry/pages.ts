import type { Revision } from "@toolwire/protocol";
import { PreparedJson } from "@toolwire/protocol/internal";
import { defined } from "../define/check-options.ts";
import type { CacheHint } from "../define/options.ts";
import { readCursor, readShownCursor, writeCursor, writeShownCursor } from "./cursors.ts";
import type { Entry } from "./registry.ts";

/** The settings of all pages of a list. */
export interface ListSettings {
  readonly pageSize: number;
  readonly cache: CacheHint | undefined;
  /** How an item is listed in a revision, if extensions change that; `undefined` if it is left out there. */
  readonly list: ((item: object, revision: Revision) => object | undefined) | undefined;
}

/** Items as they are listed in a revision. */
export function listIn({ list }: ListSettings, items: readonly object[], revision: Revision): readonly object[] {
  return list === undefined ? items : items.flatMap((item) => list(item, revision) ?? []);
}

/** A request that turns results into the form of its revision. */
export interface Finisher {
  readonly revision: Revision;
  finish(result: object): object;
}

/** One list of the protocol: its method, and the member of its result that holds the items. */
export interface ListKind {
  readonly method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list";
  readonly member: "tools" | "prompts" | "resources" | "resourceTemplates";
}

/**
 * The pages of a list, translated and serialised once per revision and used until the list changes. Answering `tools/list`
 * costs about as much as copying the text.
 */
export class ListPages {
  readonly #kind: ListKind;
  readonly #settings: ListSettings;
  readonly #entries: () => Iterable<Entry>;
  readonly #prepared = new Map<string, PreparedJson>();
  /** The cursors that were given out. Only their pages are kept, so that made-up cursors cannot fill the memory. */
  readonly #issued = new Set<string>();
  /** The highest number of an entry so far. */
  #lastOrder = 0;

  constructor(kind: ListKind, settings: ListSettings, entries: () => Iterable<Entry>) {
    this.#kind = kind;
    this.#settings = settings;
    this.#entries = entries;
  }

  /** Drops the prepared pages, because an entry was added or removed. */
  changed({ order }: Entry): void {
    this.#lastOrder = Math.max(this.#lastOrder, order);
    this.#prepared.clear();
    this.#issued.clear();
  }

  /** One page, as the revision of the request writes it. Throws an `RpcError` for a bad cursor. */
  page(request: Finisher, cursor: string | undefined): PreparedJson {
    const { revision } = request;
    const key = cursor === undefined ? revision : `${revision} ${cursor}`;
    const prepared = this.#prepared.get(key);
    if (prepared !== undefined) return prepared;
    const after = cursor === undefined ? 0 : readCursor(this.#kind.member, cursor, this.#lastOrder);
    const page = this.#make(request, after);
    if (cursor === undefined || this.#issued.has(cursor)) this.#prepared.set(key, page);
    return page;
  }

  /** One page of the entries that a caller may see. Not prepared, because callers may see different ones. */
  async shownPage(revision: Revision, cursor: string | undefined, shows: IsShown): Promise<object> {
    const { member } = this.#kind;
    const { pageSize } = this.#settings;
    const { items, nextCursor } = await pageOfShown(member, [...this.#entries()], cursor, pageSize, shows);
    return listResult(member, listIn(this.#settings, items, revision), nextCursor, this.#settings);
  }

  #make(request: Finisher, after: number): PreparedJson {
    const settings = this.#settings;
    const rest = [...this.#entries()].filter(({ order }) => order > after);
    const shown = rest.slice(0, settings.pageSize);
    const lastShown = shown.at(-1);
    let nextCursor: string | undefined;
    if (lastShown !== undefined && rest.length > shown.length) {
      nextCursor = writeCursor(this.#kind.member, lastShown.order);
      this.#issued.add(nextCursor);
    }
    const listings = shown.map(({ listing }) => listing);
    const items = listIn(settings, listings, request.revision);
    return new PreparedJson(request.finish(listResult(this.#kind.member, items, nextCursor, settings)));
  }
}

/** A page of a list, before its era finishes it. */
export function listResult(
  member: ListKind["member"],
  items: readonly object[],
  nextCursor: string | undefined,
  { cache }: ListSettings,
): object {
  return defined({
    [member]: items,
    nextCursor,
    ttlMs: cache?.ttlMs ?? 0,
    cacheScope: cache?.scope ?? "private",
  });
}

// Lists of which callers see different parts. Pages are filled with visible entries, and cursors contain only what the
// caller knows already, so that nothing tells how many entries are hidden.

/** Whether the caller may see an item of a list. */
export type IsShown = (item: object) => Promise<boolean>;

/** One page of the entries that a caller may see. */
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
  shows: IsShown,
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

/** The least number of entries that are checked at once: each check may take a while. */
const AT_ONCE = 32;

/** Takes the first visible entries, as many as there is room for, and finds out whether there are more. */
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
 * Finds the index at which the next page begins, if `shown` entries were shown and the last one had this name. If that entry
 * is gone, the next one has taken its place. A hidden entry counts as gone: the name in a cursor may be made up.
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
