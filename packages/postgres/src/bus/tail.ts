import type { BusListener } from "@toolwire/server/cluster";
import { type ChangeLog, type LogPosition, writePlace } from "./change-log.ts";

const MAX_BATCH = 1000;

/** Reads the log of changes on and on, for the listeners of this node. */
export class Tail {
  readonly #log: ChangeLog;
  readonly #listeners: ReadonlySet<BusListener>;
  #position: LogPosition | undefined;
  #isReading = false;
  /** Something may have been added while a statement was reading. */
  #isStale = false;
  #isOpen = true;

  constructor(log: ChangeLog, listeners: ReadonlySet<BusListener>) {
    this.#log = log;
    this.#listeners = listeners;
  }

  /** Where listeners stand that begin now. */
  get place(): string | undefined {
    return this.#position === undefined ? undefined : writePlace(this.#position);
  }

  /** Is told where the log stands. */
  look(now: LogPosition): void {
    if (this.#position === undefined) {
      this.#position = now;
      return;
    }
    if (this.#position.epoch !== now.epoch || this.#position.position !== now.position) this.read();
  }

  /** Reads what there is, soon. */
  read(): void {
    this.#isStale = true;
    if (this.#isReading || !this.#isOpen) return;
    this.#isReading = true;
    this.#readAll().catch(() => {});
  }

  close(): void {
    this.#isOpen = false;
  }

  /** A reading that fails is begun again by the next notification or heartbeat. */
  async #readAll(): Promise<void> {
    try {
      while (this.#isStale && this.#isOpen && this.#position !== undefined) {
        this.#isStale = false;
        await this.#readOn(this.#position);
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #readOn(position: LogPosition): Promise<void> {
    const found = await this.#log.after(position, MAX_BATCH);
    if (!this.#isOpen) return;
    if ("gap" in found) {
      // Whoever looks next begins the log anew.
      if (found.gap === undefined) return;
      this.#position = found.gap;
      const place = writePlace(found.gap);
      for (const listener of this.#listeners) listener.missed(place);
      return;
    }
    this.#position = found.next;
    if (!found.isEnd) this.#isStale = true;
    if (found.batch.changes.length === 0) return;
    for (const listener of this.#listeners) listener.changes(found.batch);
  }
}
