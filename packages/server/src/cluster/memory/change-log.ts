import type { ChangeBatch } from "../bus.ts";
import { createNodeName } from "../cluster.ts";
import { ENGINE_LIMITS, expectSize } from "../limits.ts";

/** How many changes the log keeps, and how many characters of them. */
const MAX_CHANGES = 10_000;
const MAX_LENGTH = 16 * 1024 * 1024;

/** The latest changes. Positions are counted from the first change, and belong to this log: another has another epoch. */
export class ChangeLog {
  readonly #epoch = createNodeName();
  /** Changes from `#first` on; those before `#dropped` are forgotten. */
  #changes: string[] = [];
  #dropped = 0;
  #first = 0;
  #length = 0;

  /** How many changes there were. */
  get end(): number {
    return this.#first + this.#changes.length;
  }

  append(changes: readonly string[]): void {
    const length = changes.reduce((sum, change) => sum + change.length, 0);
    expectSize("What is announced at once", length, ENGINE_LIMITS.announced);
    for (const change of changes) {
      this.#changes.push(change);
      this.#length += change.length;
    }
    while (this.end - this.#dropped > MAX_CHANGES || this.#length > MAX_LENGTH) {
      this.#length -= this.#changes[this.#dropped - this.#first]?.length ?? 0;
      this.#dropped += 1;
    }
    // Moved together from time to time only, so that each change is moved a bounded number of times.
    if (this.#dropped - this.#first > MAX_CHANGES) {
      this.#changes = this.#changes.slice(this.#dropped - this.#first);
      this.#first = this.#dropped;
    }
  }

  placeOf(position: number): string {
    return `${this.#epoch}.${position}`;
  }

  /** Reads a place that a client may have sent. `undefined` if it is not one of this log. */
  positionOf(place: string): number | undefined {
    const [, epoch, digits] = /^([a-z0-9]{10})\.(\d{1,15})$/.exec(place) ?? [];
    const position = Number(digits);
    return epoch === this.#epoch && position <= this.end ? position : undefined;
  }

  /** At most `limit` changes after a position. */
  after(position: number | undefined, limit: number): ChangeBatch | "gap" {
    if (position === undefined || position < this.#dropped) return "gap";
    const from = position - this.#first;
    const changes = this.#changes.slice(from, from + Math.max(limit, 0));
    return { changes, place: this.placeOf(position + changes.length) };
  }
}
