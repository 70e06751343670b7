import { appendFileSync, createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { CallRecord, FaultRecord } from "../accounts/history.ts";
import type { PromiseName } from "../accounts/promises.ts";

/** Something that was seen during the run and that should not be. */
interface Sighting {
  readonly cell: number;
  readonly promise: PromiseName;
  readonly example: string;
}

/** One line of the ledger. */
export type Entry = { readonly call: CallRecord } | { readonly sighting: Sighting } | { readonly fault: FaultRecord };

/** How many lines are written at once. */
const BUFFERED = 500;

/** The same sighting is written down no more often than this: a busy loop can have thousands a second. */
const MAX_SIGHTINGS = 1000;

/**
 * The load's own record of the run, in a file: what is kept in memory would hide whether clients keep too much of it
 * there.
 */
export class Ledger {
  readonly #path: string;
  #lines: string[] = [];
  readonly #sightings = new Map<string, number>();
  /** How many calls have settled. */
  settled = 0;
  /** How many of those were answered. */
  answered = 0;
  readonly #faults: FaultRecord[] = [];
  #isOver = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** How often something was seen that should not be. */
  get sightings(): number {
    return [...this.#sightings.values()].reduce((sum, count) => sum + count, 0);
  }

  addCall(call: CallRecord): void {
    if (this.#isOver) return;
    this.settled += 1;
    if (call.outcome.type === "answered") this.answered += 1;
    this.#write({ call });
  }

  /** The faults of servers and connections. */
  get faults(): readonly FaultRecord[] {
    return this.#faults;
  }

  addFault(fault: FaultRecord): void {
    this.#faults.push(fault);
    this.#write({ fault });
  }

  addSighting(cell: number, promise: PromiseName, example: string): void {
    const key = `${cell} ${promise}`;
    const count = (this.#sightings.get(key) ?? 0) + 1;
    this.#sightings.set(key, count);
    if (count <= MAX_SIGHTINGS) this.#write({ sighting: { cell, promise, example } });
  }

  /** Whichever call has not settled by now never did: clients settle it when they are closed. */
  endCalls(): void {
    this.#isOver = true;
    this.flush();
  }

  flush(): void {
    appendFileSync(this.#path, this.#lines.join(""));
    this.#lines = [];
  }

  #write(entry: Entry): void {
    this.#lines.push(`${JSON.stringify(entry)}\n`);
    if (this.#lines.length >= BUFFERED) this.flush();
  }
}

/** Reads a ledger line by line. */
export async function* readLedger(path: string): AsyncGenerator<Entry> {
  for await (const line of createInterface(createReadStream(path))) yield JSON.parse(line) as Entry;
}
