import type { Revision, RpcError } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";
import { PreparedJson } from "@toolwire/protocol/internal";
import { defined } from "../define/check-options.ts";
import type { CacheHint } from "../define/options.ts";
import type { Entry } from "./registry.ts";
import { pageOfShown, type Shows } from "./shown-entries.ts";

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
    throw invalidCursor();
  }
  return position;
}

/** A place in a list of which callers see different parts, in words of what this caller has seen. */
export interface ShownPlace {
  /** How many entries were shown. */
  readonly shown: number;
  /** The name of the last of them. */
  readonly name: string;
}

/**
 * Where the next page of such a list begins. The number of an entry, as in other cursors, would tell how many are hidden
 * before it.
 */
export function writeShownCursor(list: string, { shown, name }: ShownPlace): string {
  return btoa(`${list}:${shown}:${name}`);
}

/** The place in a cursor. Refuses what {@link writeShownCursor} never wrote for this list with -32602. */
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

/** What all pages of a list have in common. */
export interface ListSettings {
  readonly pageSize: number;
  readonly cache: CacheHint | undefined;
}

/** Turns a result into what the client of a request gets. */
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
 * The pages of a list, translated and serialised once per revision and used until the list changes: answering
 * `tools/list` costs about as much as copying the text.
 */
export class ListPages {
  readonly #kind: ListKind;
  readonly #settings: ListSettings;
  readonly #entries: () => Iterable<Entry>;
  readonly #prepared = new Map<string, PreparedJson>();
  /** The cursors that were given out. Only their pages are kept, so that made-up ones cannot fill the memory. */
  readonly #issued = new Set<string>();
  /** The highest number of an entry so far. */
  #lastOrder = 0;

  constructor(kind: ListKind, settings: ListSettings, entries: () => Iterable<Entry>) {
    this.#kind = kind;
    this.#settings = settings;
    this.#entries = entries;
  }

  /** Something was added or removed. */
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

  /** One page of what a caller may see. Not prepared: each caller may see something else. */
  async shownPage(cursor: string | undefined, shows: Shows): Promise<object> {
    const { member } = this.#kind;
    const { pageSize } = this.#settings;
    const { items, nextCursor } = await pageOfShown(member, [...this.#entries()], cursor, pageSize, shows);
    return listResult(member, items, nextCursor, this.#settings);
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
    const items = shown.map(({ listing }) => listing);
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
