/** Something that can be on a {@link Roster}; on one at a time. */
export interface Rostered {
  /** Kept by the roster: where on it this stands. Absent if it is on none. */
  place?: number | undefined;
}

/**
 * A set of things that come and go quickly, in no particular order. Like `IdTable`, it leaves nothing behind for the
 * garbage collector, as a `Set` does; the price is that members have a field to remember their place in.
 */
export class Roster<T extends Rostered> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.place ??= this.#members.push(member) - 1;
  }

  /** Returns whether it was there. */
  delete(member: T): boolean {
    const { place } = member;
    if (place === undefined) return false;
    member.place = undefined;
    // The last one takes the place that is free now.
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[place] = last;
      last.place = place;
    }
    return true;
  }

  /** A copy, so that members may go while one looks at it. */
  list(): T[] {
    return [...this.#members];
  }
}
