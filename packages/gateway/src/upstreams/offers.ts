import type { Claim, Claims } from "./claims.ts";
import { variantName } from "./names.ts";

/** Something that an upstream offers, ready to be put into the host. */
export interface Offer {
  /** The name under which it is to be offered. */
  readonly name: string;
  /** Tells it from another of the same name. */
  readonly fingerprint: string;
  /** Puts it into the host. Throws if that cannot be. */
  add(name: string): void;
}

interface Entry {
  readonly offer: Offer;
  readonly claim: Claim;
  /** The viewers who see it: the principals of an upstream with `perUser`, or everybody as one. */
  readonly viewers: Set<object>;
  problem: string | undefined;
}

/** How offers are put into the host, and who hears of problems. */
export interface OffersOptions {
  readonly upstream: string;
  readonly rank: number;
  readonly claims: Claims;
  remove(name: string): void;
  report(problem: string): void;
}

/**
 * The tools, prompts or templates that one upstream offers, by the name under which it wants to. Different viewers may be offered
 * different things under one name; the second then gets another name, which only its viewer sees.
 */
export class Offers {
  readonly #options: OffersOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: OffersOptions) {
    this.#options = options;
  }

  /** How many there are in the host. */
  get size(): number {
    let size = 0;
    for (const { problem } of this.#entries.values()) if (problem === undefined) size += 1;
    return size;
  }

  /** Why some of them are not offered. */
  get problems(): readonly string[] {
    return [...this.#entries.values()].map(({ problem }) => problem).filter((problem) => problem !== undefined);
  }

  /** Replaces all that a viewer is offered. */
  set(viewer: object, offers: readonly Offer[]): void {
    const kept = new Set<string>();
    const fresh = new Map<string, Offer>();
    for (const offer of offers) {
      const name = this.#placeFor(viewer, offer, kept);
      if (name === undefined) continue;
      kept.add(name);
      const entry = this.#entries.get(name);
      if (entry?.offer.fingerprint === offer.fingerprint) entry.viewers.add(viewer);
      else fresh.set(name, offer);
    }
    for (const [name, entry] of this.#entries) {
      if (entry.viewers.has(viewer) && (!kept.has(name) || fresh.has(name))) this.#drop(name, entry, viewer);
    }
    for (const [name, offer] of fresh) this.#add(name, offer, viewer);
  }

  /** Takes one of them out of the host and puts it back in, so that clients hear that the list has changed. */
  touch(): void {
    for (const [name, { problem, claim }] of this.#entries) {
      if (problem !== undefined) continue;
      this.#options.claims.remove(name, claim);
      this.#options.claims.add(name, claim);
      return;
    }
  }

  /** Whether something of this name is offered to one of these viewers; `undefined` if it is not of this upstream. */
  isShown(name: string, viewers: readonly (object | undefined)[]): boolean | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.problem !== undefined) return undefined;
    return viewers.some((viewer) => viewer !== undefined && entry.viewers.has(viewer));
  }

  /** The name for an offer: its own, unless others see something else under it. An upstream may list a name twice. */
  #placeFor(viewer: object, { name, fingerprint }: Offer, kept: ReadonlySet<string>): string | undefined {
    if (kept.has(name)) return undefined;
    const variant = variantName(name, fingerprint);
    // A viewer that has it under another name keeps that.
    if (this.#entries.get(variant)?.viewers.has(viewer) === true) return variant;
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.offer.fingerprint === fingerprint) return name;
    const isAlone = entry.viewers.size === 1 && entry.viewers.has(viewer);
    return isAlone ? name : variant;
  }

  #add(name: string, offer: Offer, viewer: object): void {
    const options = this.#options;
    const { upstream, rank, claims } = options;
    const entry: Entry = {
      offer,
      viewers: new Set([viewer]),
      problem: undefined,
      claim: {
        upstream,
        rank,
        offer() {
          try {
            offer.add(name);
            return undefined;
          } catch (error) {
            return `${JSON.stringify(name)} is not offered: ${(error as Error).message}`;
          }
        },
        withdraw: () => options.remove(name),
        explain(problem) {
          if (problem !== undefined && problem !== entry.problem) options.report(problem);
          entry.problem = problem;
        },
      },
    };
    this.#entries.set(name, entry);
    claims.add(name, entry.claim);
  }

  #drop(name: string, entry: Entry, viewer: object): void {
    entry.viewers.delete(viewer);
    if (entry.viewers.size > 0) return;
    this.#entries.delete(name);
    this.#options.claims.remove(name, entry.claim);
  }
}
