/** Tables and counters for requests in flight, which leave no garbage behind. */

import type { RequestId } from "../model/basic.ts";

/** The most slots of a table, enough for nearly every connection. Further entries go into a map. */
const MAX_SLOTS = 1024;

/**
 * The entries in flight, by id. It replaces a `Map`, which leaves garbage: while entries come and go, a map allocates a
 * new table every few entries, and each old table keeps the next one alive, until the whole heap is collected. Ids that
 * count upwards, as nearly all do, find a slot here by their last bits and leave nothing behind.
 */
export class IdTable<T extends object> {
  /** The id and the value in each slot. */
  #ids: (number | undefined)[] = [];
  #values: (T | undefined)[] = [];
  /** The last bits of an id that tell its slot: one less than the number of slots. */
  #mask = 7;
  #others: Map<RequestId, T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The value of an entry. Safe for values of a peer: a value that is not an id has no entry. */
  get(id: RequestId): T | undefined {
    const slot = this.#slotOf(id);
    return slot >= 0 && this.#ids[slot] === id ? this.#values[slot] : this.#others?.get(id);
  }

  set(id: RequestId, value: T): void {
    this.delete(id);
    this.#size += 1;
    if (typeof id === "number" && this.#makeRoom(id)) this.#put(id, value);
    else (this.#others ??= new Map()).set(id, value);
  }

  /** Returns whether there was such an entry. */
  delete(id: RequestId): boolean {
    const slot = this.#slotOf(id);
    if (slot >= 0 && this.#ids[slot] === id) this.#ids[slot] = this.#values[slot] = undefined;
    else if (this.#others?.delete(id) !== true) return false;
    this.#size -= 1;
    return true;
  }

  /** The values of all entries, in no particular order; a copy. */
  list(): T[] {
    return [...this.#values.filter((value) => value !== undefined), ...(this.#others?.values() ?? [])];
  }

  /** Removes all entries and returns their values. */
  drain(): T[] {
    const values = this.list();
    this.#ids = [];
    this.#values = [];
    this.#others = undefined;
    this.#size = 0;
    return values;
  }

  /**
   * The slot of an id; negative unless it is a number. `&` on other values would call methods that a peer may have sent.
   */
  #slotOf(id: RequestId): number {
    return typeof id === "number" ? id & this.#mask : -1;
  }

  #put(id: number, value: T | undefined): void {
    const slot = this.#slotOf(id);
    this.#ids[slot] = id;
    this.#values[slot] = value;
  }

  /** Frees the slot of an id by growing the table; returns false if that would take too many slots. */
  #makeRoom(id: number): boolean {
    while (this.#ids[this.#slotOf(id)] !== undefined) {
      if (this.#mask >= MAX_SLOTS - 1) return false;
      this.#grow();
    }
    return true;
  }

  /** Doubles the slots. Entries that had different slots before still have. */
  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#mask = 2 * this.#mask + 1;
    this.#ids = [];
    this.#values = [];
    for (const [slot, id] of ids.entries()) if (id !== undefined) this.#put(id, values[slot]);
  }
}

/** A member of a {@link PooledSet}; of one at a time. */
export interface Pooled {
  /** Kept by the set: the index of this member. Absent if it is in no set. */
  slot?: number | undefined;
}

/**
 * A set of members that come and go quickly, in no particular order. Like `IdTable`, and unlike a `Set`, it leaves no
 * garbage behind; in return, members have a field that holds their index.
 */
export class PooledSet<T extends Pooled> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.slot ??= this.#members.push(member) - 1;
  }

  /** Returns whether it was a member. */
  delete(member: T): boolean {
    const { slot } = member;
    if (slot === undefined) return false;
    member.slot = undefined;
    // Moves the last member to the free index.
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[slot] = last;
      last.slot = slot;
    }
    return true;
  }

  /** A copy, so that members can be deleted during iteration. */
  list(): T[] {
    return [...this.#members];
  }
}

/**
 * Counts the requests of a peer that are in flight, and says when the limit is reached. A request counts from its arrival
 * until its work has ended. Connections may share one.
 */
export interface RequestLimit {
  /** The limit that leaves no room for another request; `undefined` if there is room. */
  readonly reached: number | undefined;
  /** Adds to the count, or subtracts from it. */
  add(change: number): void;
}

/** A fixed limit. It may be part of a wider one, which counts the same requests and has to have room, too. */
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
