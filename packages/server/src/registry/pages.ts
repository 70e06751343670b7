import { type CacheScope, eraOf, type ResultMeta, type Revision, type RpcError } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";
import { PreparedJson } from "@toolwire/protocol/internal";
import { defined } from "../define/check-options.ts";
import { findLegacyEra } from "../legacy/era.ts";
import type { Route } from "../methods/routes.ts";
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

/** How long, and for whom, clients may cache a result. */
export interface CacheHint {
  /** How many milliseconds clients may use the result. Default 0: not at all. */
  readonly ttlMs?: number | undefined;
  /** Who may share the result: `public` only if everybody gets the same. Default `private`. */
  readonly scope?: CacheScope | undefined;
}

/** What all pages of a list have in common. */
export interface ListSettings {
  readonly pageSize: number;
  readonly cache: CacheHint | undefined;
  /** The `_meta` of modern results. */
  readonly resultMeta: ResultMeta | undefined;
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

  /** One page. Throws an `RpcError` for a bad cursor. */
  page(revision: Revision, cursor: string | undefined): PreparedJson {
    const key = cursor === undefined ? revision : `${revision} ${cursor}`;
    const prepared = this.#prepared.get(key);
    if (prepared !== undefined) return prepared;
    const after = cursor === undefined ? 0 : readCursor(this.#kind.member, cursor, this.#lastOrder);
    const page = this.#make(revision, after);
    if (cursor === undefined || this.#issued.has(cursor)) this.#prepared.set(key, page);
    return page;
  }

  /** One page of what a caller may see. Not prepared: each caller may see something else. */
  async shownPage(revision: Revision, cursor: string | undefined, shows: Shows): Promise<object> {
    const kind = this.#kind;
    const { pageSize } = this.#settings;
    const { items, nextCursor } = await pageOfShown(kind.member, [...this.#entries()], cursor, pageSize, shows);
    return listResult(revision, kind, items, nextCursor, this.#settings);
  }

  #make(revision: Revision, after: number): PreparedJson {
    const settings = this.#settings;
    const rest = [...this.#entries()].filter(({ order }) => order > after);
    const shown = rest.slice(0, settings.pageSize);
    const lastShown = shown.at(-1);
    let nextCursor: string | undefined;
    if (lastShown !== undefined && rest.length > shown.length) {
      nextCursor = writeCursor(this.#kind.member, lastShown.order);
      this.#issued.add(nextCursor);
    }
    return new PreparedJson(
      listResult(
        revision,
        this.#kind,
        shown.map(({ listing }) => listing),
        nextCursor,
        settings,
      ),
    );
  }
}

/** A page of a list as the revision writes it. */
export function listResult(
  revision: Revision,
  { method, member }: ListKind,
  items: readonly object[],
  nextCursor: string | undefined,
  { cache, resultMeta }: ListSettings,
): object {
  const isModern = eraOf(revision) === "modern";
  const result = defined({
    resultType: "complete",
    [member]: items,
    nextCursor,
    ttlMs: cache?.ttlMs ?? 0,
    cacheScope: cache?.scope ?? "private",
    _meta: isModern ? resultMeta : undefined,
  });
  const translate = findLegacyEra()?.translatorFor(revision).result(method) as Route["translate"];
  return isModern || translate === undefined ? result : translate(result);
}
