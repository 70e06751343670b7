/** Values that are shorter are not looked for: they would be found in texts that have nothing to do with them. */
export const SHORTEST_SECRET = 8;

/** How many secrets are looked for one by one. With more, all of them are looked for at once. */
const FEW = 8;
/** How many places of a secret are tried for its window. */
const TRIES = 16;
/** The factor of the hashes. Any odd number will do. */
const FACTOR = 0x01000193;
const FILTER_SIZE = 1 << 16;

/** A secret that is looked for. */
export class IndexedSecret {
  /** With blanks in place of plus signs. */
  readonly text: string;
  /** The place in the secret of the eight characters by which it is found. */
  readonly offset: number;
  readonly windowHash: number;
  #hash: number | undefined;
  #power: number | undefined;

  constructor(text: string, offset: number) {
    this.text = text;
    this.offset = offset;
    this.windowHash = hashOf(text, offset, offset + SHORTEST_SECRET);
  }

  get window(): string {
    return this.text.slice(this.offset, this.offset + SHORTEST_SECRET);
  }

  /** The hash of the whole. Made when the window is found first: most secrets never are, and some are long. */
  get hash(): number {
    return (this.#hash ??= hashOf(this.text, 0, this.text.length));
  }

  /** The factor to the power of the length. */
  get power(): number {
    return (this.#power ??= powerOf(this.text.length));
  }
}

/** Hears of a secret in a text, from (inclusive) to (exclusive). */
export type SecretListener = (secret: IndexedSecret, from: number, to: number) => void;

/**
 * Finds many secrets in a text. Each secret is found by eight of its characters, and then compared in place by a hash of its
 * whole (Karp and Rabin, 1987). So adding and removing one costs nothing that grows with the others, and the work of a search is
 * linear in the text, whatever is in it.
 *
 * A plus sign and a blank are the same: forms and URLs write one for the other.
 */
export class SecretIndex {
  readonly #secrets = new Map<string, IndexedSecret>();
  readonly #byWindow = new Map<number, IndexedSecret[]>();
  /** How many secrets have a window with the last 16 bits of a hash. Kept once there are many secrets. */
  #filter: Uint32Array | undefined;
  #shortest = Infinity;

  get size(): number {
    return this.#secrets.size;
  }

  /** No secret is shorter. It may have been removed since. */
  get shortest(): number {
    return this.#shortest;
  }

  /** Looks for a value from now on. */
  add(value: string): void {
    const text = foldBlanks(value);
    if (text.length < SHORTEST_SECRET || this.#secrets.has(text)) return;
    const secret = this.#prepare(text);
    this.#secrets.set(text, secret);
    const others = this.#byWindow.get(secret.windowHash);
    if (others === undefined) this.#byWindow.set(secret.windowHash, [secret]);
    else others.push(secret);
    this.#shortest = Math.min(this.#shortest, text.length);
    if (this.#filter !== undefined) this.#filter[secret.windowHash & (FILTER_SIZE - 1)]! += 1;
    else if (this.size > FEW) this.#filter = this.#makeFilter();
  }

  /** Ends the search for a value. */
  remove(value: string): void {
    const text = foldBlanks(value);
    const secret = this.#secrets.get(text);
    if (secret === undefined) return;
    this.#secrets.delete(text);
    const others = this.#byWindow.get(secret.windowHash)!.filter((other) => other !== secret);
    if (others.length === 0) this.#byWindow.delete(secret.windowHash);
    else this.#byWindow.set(secret.windowHash, others);
    if (this.#filter !== undefined) this.#filter[secret.windowHash & (FILTER_SIZE - 1)]! -= 1;
  }

  /** Tells of every place in which a secret is. Places may overlap, and come in no order. */
  find(given: string, listener: SecretListener): void {
    if (given.length < this.#shortest || this.size === 0) return;
    const text = foldBlanks(given);
    const hashes = new PrefixHashes(text);
    const compare = (secret: IndexedSecret, windowAt: number): void => {
      const from = windowAt - secret.offset;
      const to = from + secret.text.length;
      if (from < 0 || to > text.length) return;
      if (hashes.of(from, to, secret.power) === secret.hash) listener(secret, from, to);
    };
    if (this.#filter === undefined) this.#findFew(text, compare);
    else this.#findMany(text, this.#filter, compare);
  }

  /** The platform finds eight characters much faster than a loop does. */
  #findFew(text: string, compare: (secret: IndexedSecret, windowAt: number) => void): void {
    for (const secret of this.#secrets.values()) {
      const { window } = secret;
      for (let at = text.indexOf(window); at !== -1; at = text.indexOf(window, at + 1)) compare(secret, at);
    }
  }

  #findMany(text: string, filter: Uint32Array, compare: (secret: IndexedSecret, windowAt: number) => void): void {
    let hash = hashOf(text, 0, SHORTEST_SECRET);
    for (let at = 0; ; at += 1) {
      if (filter[hash & (FILTER_SIZE - 1)]! > 0) {
        for (const secret of this.#byWindow.get(hash) ?? []) compare(secret, at);
      }
      if (at + SHORTEST_SECRET >= text.length) return;
      const left = Math.imul(text.charCodeAt(at), WINDOW_POWER);
      hash = (Math.imul(hash, FACTOR) - left + text.charCodeAt(at + SHORTEST_SECRET)) | 0;
    }
  }

  /** Chooses the window that the fewest others have: keys of one kind begin alike, as with `sk_live_`. */
  #prepare(text: string): IndexedSecret {
    const last = text.length - SHORTEST_SECRET;
    const tries = Math.min(TRIES, last + 1);
    let offset = 0;
    let fewest = Infinity;
    for (let index = 0; index < tries && fewest > 0; index += 1) {
      // From the end: what keys have in common is at their beginning.
      const place = last - Math.floor((index * last) / Math.max(1, tries - 1));
      const others = this.#byWindow.get(hashOf(text, place, place + SHORTEST_SECRET))?.length ?? 0;
      if (others < fewest) {
        fewest = others;
        offset = place;
      }
    }
    return new IndexedSecret(text, offset);
  }

  #makeFilter(): Uint32Array {
    const filter = new Uint32Array(FILTER_SIZE);
    for (const { windowHash } of this.#secrets.values()) filter[windowHash & (FILTER_SIZE - 1)]! += 1;
    return filter;
  }
}

/** The hashes of all beginnings of a text, from which follows that of any part. Made when it is needed first. */
class PrefixHashes {
  readonly #text: string;
  #hashes: Int32Array | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  of(from: number, to: number, power: number): number {
    const hashes = (this.#hashes ??= this.#make());
    return (hashes[to]! - Math.imul(hashes[from]!, power)) | 0;
  }

  #make(): Int32Array {
    const text = this.#text;
    const hashes = new Int32Array(text.length + 1);
    for (let index = 0; index < text.length; index += 1) {
      hashes[index + 1] = Math.imul(hashes[index]!, FACTOR) + text.charCodeAt(index);
    }
    return hashes;
  }
}

function foldBlanks(text: string): string {
  return text.includes("+") ? text.replaceAll("+", " ") : text;
}

function hashOf(text: string, from: number, to: number): number {
  let hash = 0;
  for (let index = from; index < to; index += 1) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(index)) | 0;
  return hash;
}

function powerOf(exponent: number): number {
  let power = 1;
  for (let index = 0; index < exponent; index += 1) power = Math.imul(power, FACTOR);
  return power;
}

const WINDOW_POWER = powerOf(SHORTEST_SECRET);
