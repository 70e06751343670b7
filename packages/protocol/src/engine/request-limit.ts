/**
 * Counts the requests of a peer that are in flight, and says when there are enough. A request counts from its arrival until
 * nothing of it runs any more. Connections may share one.
 */
export interface RequestLimit {
  /** The limit that leaves no room for another request; `undefined` if there is room. */
  readonly reached: number | undefined;
  /** Counts so many more requests, or fewer. */
  add(change: number): void;
}

/** A limit of so many requests. It may be part of a wider one, which counts the same requests and has to have room, too. */
export class CountedRequests implements RequestLimit {
  readonly #max: number;
  readonly #wider: RequestLimit | undefined;
  #count = 0;

  constructor(max: number, wider?: RequestLimit) {
    this.#max = max;
    this.#wider = wider;
  }

  /** How many requests are in flight. */
  get count(): number {
    return this.#count;
  }

  get reached(): number | undefined {
    return this.#count < this.#max ? this.#wider?.reached : this.#max;
  }

  add(change: number): void {
    this.#count += change;
    this.#wider?.add(change);
  }
}
