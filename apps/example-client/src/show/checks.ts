/** The conditions for the show to be a success. */
export class Checks {
  #count = 0;
  readonly #failures: string[] = [];

  /** How many things were checked. */
  get count(): number {
    return this.#count;
  }

  /** The conditions that did not hold. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Checks that two values are the same, by what JSON makes of them. */
  same(what: string, actual: unknown, expected: unknown): void {
    const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.that(what, got === wanted, `expected ${wanted}, got ${got}`);
  }

  that(what: string, holds: boolean, details = "it did not hold"): void {
    this.#count += 1;
    if (!holds) this.#failures.push(`${what}: ${details}`);
  }
}
