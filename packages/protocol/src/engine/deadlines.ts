import { LONGEST_TIMER } from "../options.ts";
import { PooledSet, type Pooled } from "./in-flight.ts";

/** A thing that expires at a moment in time. */
export interface Deadlined extends Pooled {
  /** The moment, in milliseconds of `performance.now()`. */
  deadline: number;
  /** Called once the moment has passed. */
  expire(): void;
}

/**
 * Watches any number of deadlines with one timer, because a timer per request is the most expensive part of a cheap
 * request. The timer keeps the process alive only while something is watched.
 */
export class Deadlines {
  readonly #watched = new PooledSet<Deadlined>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firesAt = Infinity;

  add(item: Deadlined): void {
    this.#watched.add(item);
    if (item.deadline < this.#firesAt) this.#arm(item.deadline);
    else if (this.#watched.size === 1) setRef(this.#timer, true);
  }

  /** Everything that is watched. */
  list(): readonly Deadlined[] {
    return this.#watched.list();
  }

  delete(item: Deadlined): void {
    if (this.#watched.delete(item) && this.#watched.size === 0) setRef(this.#timer, false);
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = at;
    if (at === Infinity) return;
    // A timer that fires early, because the deadline is too far away for it, is armed again.
    const delay = Math.min(Math.max(Math.ceil(at - performance.now()), 1), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#sweep(), delay);
  }

  #sweep(): void {
    const now = performance.now();
    let next = Infinity;
    const late: Deadlined[] = [];
    for (const item of this.#watched.list()) {
      if (item.deadline <= now) late.push(item);
      else if (item.deadline < next) next = item.deadline;
    }
    this.#firesAt = Infinity;
    this.#arm(next);
    for (const item of late) {
      this.delete(item);
      item.expire();
    }
  }
}

/** In Node a timer is an object that can let the process exit; in browsers it is a number. */
function setRef(timer: unknown, keepAlive: boolean): void {
  if (typeof timer !== "object" || timer === null) return;
  const handle = timer as { ref?(): void; unref?(): void };
  if (keepAlive) handle.ref?.();
  else handle.unref?.();
}
