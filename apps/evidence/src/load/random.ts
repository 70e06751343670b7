/** Numbers that look random and are the same for the same seed, so that a run can be repeated. */
export class Random {
  #state: number;

  /** The parts of a seed may be numbers or names: each lane and each cell has numbers of its own. */
  constructor(...seed: readonly (number | string)[]) {
    // FNV-1a over the text of the seed.
    this.#state = [...seed.join("/")].reduce(
      (hash, letter) => Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619),
      -2_128_831_035,
    );
  }

  /** At least 0, less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** One of several things, each as often as its weight says. */
  pick<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries<number>(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [thing, weight] of entries) {
      left -= weight;
      if (left < 0) return thing;
    }
    return entries.at(-1)![0];
  }
}
