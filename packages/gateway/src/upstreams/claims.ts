/** A wish of an upstream to offer something under a name. */
export interface Claim {
  readonly upstream: string;
  /** Upstreams are ranked in the order of the configuration. The lowest rank gets the name. */
  readonly rank: number;
  /** Offers it. Returns what is wrong if it cannot be offered, such as a tool of the server itself that has the name. */
  offer(): string | undefined;
  withdraw(): void;
  /** Is told why it is not offered, and `undefined` once it is. */
  explain(problem: string | undefined): void;
}

interface ClaimedName {
  readonly claims: Claim[];
  holder: Claim | undefined;
}

/**
 * The names that upstreams of one server want to offer something under. Upstreams list when they are ready, in any order. Which of
 * them gets a name depends on the configuration alone, so that an upstream cannot take the name of another by being faster.
 */
export class Claims {
  readonly #kind: string;
  readonly #names = new Map<string, ClaimedName>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(name: string, claim: Claim): void {
    const entry = this.#names.get(name) ?? { claims: [], holder: undefined };
    this.#names.set(name, entry);
    entry.claims.push(claim);
    entry.claims.sort((a, b) => a.rank - b.rank);
    this.#settle(name, entry);
  }

  remove(name: string, claim: Claim): void {
    const entry = this.#names.get(name);
    if (entry === undefined) return;
    entry.claims.splice(entry.claims.indexOf(claim), 1);
    if (entry.holder === claim) {
      entry.holder = undefined;
      claim.withdraw();
    }
    if (entry.claims.length === 0) this.#names.delete(name);
    else this.#settle(name, entry);
  }

  #settle(name: string, entry: ClaimedName): void {
    for (const claim of entry.claims) {
      if (entry.holder === claim) break;
      // Ranks before the holder's: it has the better claim.
      if (entry.holder !== undefined) {
        const former = entry.holder;
        entry.holder = undefined;
        former.withdraw();
      }
      const problem = claim.offer();
      claim.explain(problem);
      if (problem !== undefined) continue;
      entry.holder = claim;
      break;
    }
    const { holder } = entry;
    if (holder === undefined) return;
    for (const claim of entry.claims) {
      if (claim.rank <= holder.rank || claim === holder) continue;
      claim.explain(
        `The ${this.#kind} ${JSON.stringify(name)} is not offered: the upstream ${holder.upstream} comes first and has it already. ` +
          `Give ${claim.upstream} a \`prefix\`, or exclude one of them.`,
      );
    }
  }
}
