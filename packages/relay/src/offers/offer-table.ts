import { variantName } from "../text/names.ts";

/** Something that an upstream offers. */
export interface Offer<T> {
  /** The name under which it is to be offered. */
  readonly name: string;
  /** Tells it from another of the same name. */
  readonly fingerprint: string;
  /** Makes what goes into the server. */
  make(): T;
}

/** An upstream as the table knows it. Its place in the list of sources is its rank. */
export interface OfferSource {
  readonly name: string;
}

/** The server, as far as the table changes it. */
export interface OfferTarget<T> {
  /** Throws a `UsageError` if the name is taken, or if it cannot be offered. */
  add(name: string, item: T): void;
  remove(name: string): void;
}

/** What a table is for. */
export interface OfferTableOptions<S extends OfferSource, T> {
  /** For messages: `tool`, `prompt`. */
  readonly kind: string;
  /** In the order of the configuration. The first one that has a name gets it. */
  readonly sources: readonly S[];
  readonly target: OfferTarget<T>;
  /** Hears why something is not offered, once. */
  report(source: S, problem: string): void;
}

/** What one source offers under one name. */
interface Candidate<S, T> {
  readonly source: S;
  readonly rank: number;
  readonly offer: Offer<T>;
  /** Those who see it: the view of a principal, or of all, and callers who can be asked something. */
  readonly viewers: Set<object>;
  /** Why it is not in the server. */
  problem: string | undefined;
}

/** All that sources offer under one name. */
interface Row<S, T> {
  /** By rank. */
  readonly candidates: Candidate<S, T>[];
  /** The one that is in the server. */
  holder: Candidate<S, T> | undefined;
}

/**
 * What is in a server under which name, by whom, and for which viewers. Sources list when they are ready, in any order. Which of them
 * gets a name depends on their order alone, so that one cannot take the name of another by being faster. Viewers of one source may be
 * offered different things under one name; the second then gets another name, which only its viewer sees.
 */
export class OfferTable<S extends OfferSource, T> {
  readonly #options: OfferTableOptions<S, T>;
  readonly #rows = new Map<string, Row<S, T>>();
  /** The candidates of each source by name. */
  readonly #own: ReadonlyMap<S, Map<string, Candidate<S, T>>>;

  constructor(options: OfferTableOptions<S, T>) {
    this.#options = options;
    this.#own = new Map(options.sources.map((source) => [source, new Map()]));
  }

  /** Replaces all that a viewer of a source is offered. */
  set(source: S, viewer: object, offers: readonly Offer<T>[]): void {
    const own = this.#ownOf(source);
    const kept = new Set<string>();
    const fresh = new Map<string, Offer<T>>();
    for (const offer of offers) {
      // A source may list a name twice.
      if (kept.has(offer.name)) continue;
      const name = placeFor(own, viewer, offer);
      if (kept.has(name)) continue;
      kept.add(name);
      const present = own.get(name);
      if (present?.offer.fingerprint === offer.fingerprint) present.viewers.add(viewer);
      else fresh.set(name, offer);
    }
    for (const [name, { viewers }] of own) {
      if (viewers.has(viewer) && (!kept.has(name) || fresh.has(name))) this.#drop(name, source, viewer);
    }
    for (const [name, offer] of fresh) this.#add(name, source, offer, viewer);
  }

  /** The one who has a name, and who sees what it offers under it. `undefined` if no source has the name. */
  holderOf(name: string): { readonly source: S; readonly viewers: ReadonlySet<object> } | undefined {
    return this.#rows.get(name)?.holder;
  }

  /** Whether a viewer sees all that its source has in the server. */
  seesAll(source: S, viewer: object | undefined): boolean {
    for (const { viewers, problem } of this.#ownOf(source).values()) {
      if (problem === undefined && (viewer === undefined || !viewers.has(viewer))) return false;
    }
    return true;
  }

  /** How many a source has in the server. */
  countOf(source: S): number {
    let count = 0;
    for (const { problem } of this.#ownOf(source).values()) if (problem === undefined) count += 1;
    return count;
  }

  /** Why some of a source are not in the server. */
  problemsOf(source: S): readonly string[] {
    return [...this.#ownOf(source).values()].map(({ problem }) => problem).filter((problem) => problem !== undefined);
  }

  /** Takes one of a source out of the server and puts it back in, so that clients hear that the list has changed. */
  touch(source: S): void {
    for (const [name, candidate] of this.#ownOf(source)) {
      const row = this.#rows.get(name);
      if (row?.holder !== candidate) continue;
      this.#withdraw(name, row);
      this.#settle(name, row);
      return;
    }
  }

  #ownOf(source: S): Map<string, Candidate<S, T>> {
    return this.#own.get(source) ?? new Map<string, Candidate<S, T>>();
  }

  #add(name: string, source: S, offer: Offer<T>, viewer: object): void {
    const rank = this.#options.sources.indexOf(source);
    const candidate: Candidate<S, T> = { source, rank, offer, viewers: new Set([viewer]), problem: undefined };
    this.#ownOf(source).set(name, candidate);
    const row = this.#rows.get(name) ?? { candidates: [], holder: undefined };
    this.#rows.set(name, row);
    row.candidates.push(candidate);
    row.candidates.sort((a, b) => a.rank - b.rank);
    this.#settle(name, row);
  }

  #drop(name: string, source: S, viewer: object): void {
    const own = this.#ownOf(source);
    const candidate = own.get(name);
    const row = this.#rows.get(name);
    if (candidate === undefined || row === undefined) return;
    candidate.viewers.delete(viewer);
    if (candidate.viewers.size > 0) return;
    own.delete(name);
    row.candidates.splice(row.candidates.indexOf(candidate), 1);
    if (row.holder === candidate) this.#withdraw(name, row);
    if (row.candidates.length === 0) this.#rows.delete(name);
    else this.#settle(name, row);
  }

  /** Puts the first candidate into the server that can be in it, and says of all others why they are not. */
  #settle(name: string, row: Row<S, T>): void {
    for (const candidate of row.candidates) {
      const { holder } = row;
      if (holder === undefined || candidate.rank < holder.rank) {
        if (holder !== undefined) this.#withdraw(name, row);
        this.#explain(candidate, this.#put(name, candidate.offer));
        if (candidate.problem === undefined) row.holder = candidate;
      } else if (candidate !== holder) this.#explain(candidate, this.#taken(name, holder.source, candidate.source));
    }
  }

  #put(name: string, offer: Offer<T>): string | undefined {
    try {
      this.#options.target.add(name, offer.make());
      return undefined;
    } catch (error) {
      return `${JSON.stringify(name)} is not offered: ${(error as Error).message}`;
    }
  }

  #withdraw(name: string, row: Row<S, T>): void {
    const { holder } = row;
    row.holder = undefined;
    if (holder !== undefined) this.#options.target.remove(name);
  }

  #explain(candidate: Candidate<S, T>, problem: string | undefined): void {
    const isNew = problem !== undefined && problem !== candidate.problem;
    candidate.problem = problem;
    if (isNew) this.#options.report(candidate.source, problem);
  }

  #taken(name: string, holder: S, other: S): string {
    return (
      `The ${this.#options.kind} ${JSON.stringify(name)} is not offered: the upstream ${holder.name} comes first and has it already. ` +
      `Give ${other.name} a \`prefix\`, or exclude one of them.`
    );
  }
}

/** The name for an offer: its own, unless other viewers of the source see something else under it. */
function placeFor<S, T>(
  own: ReadonlyMap<string, Candidate<S, T>>,
  viewer: object,
  { name, fingerprint }: Offer<T>,
): string {
  const variant = variantName(name, fingerprint);
  // A viewer that has it under another name keeps that.
  if (own.get(variant)?.viewers.has(viewer) === true) return variant;
  const present = own.get(name);
  if (present === undefined || present.offer.fingerprint === fingerprint) return name;
  const isAlone = present.viewers.size === 1 && present.viewers.has(viewer);
  return isAlone ? name : variant;
}
