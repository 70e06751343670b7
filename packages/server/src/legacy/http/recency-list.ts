/** A member's place in a {@link RecencyList}. */
export class Place<T> {
  readonly member: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;

  constructor(member: T) {
    this.member = member;
  }
}

/**
 * Members in the order of their latest use, the one that was idle longest first. A `Set` can keep the same order, but for a
 * member that is used over and over, it allocates a new table every few uses, and each old table keeps the next one alive.
 */
export class RecencyList<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;

  /** The member that was idle longest. */
  get oldest(): T | undefined {
    return this.#first?.member;
  }

  /** Adds a member that is in use, or moves it to the end. */
  use(place: Place<T>): void {
    if (place === this.#last) return;
    this.delete(place);
    place.before = this.#last;
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
  }

  /** Removes a member, if it is one. */
  delete(place: Place<T>): void {
    const { before, after } = place;
    if (before !== undefined) before.after = after;
    else if (place === this.#first) this.#first = after;
    if (after !== undefined) after.before = before;
    else if (place === this.#last) this.#last = before;
    place.before = place.after = undefined;
  }

  /** Iterates from the member that was idle longest. The current member may be deleted meanwhile. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let place = this.#first; place !== undefined;) {
      const { after } = place;
      yield place.member;
      place = after;
    }
  }
}
