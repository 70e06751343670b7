import type { CallRecord } from "./call-record.ts";

/** The listeners that want to see each record as it is added. One that throws harms neither the call nor the others. */
export class Followers {
  readonly #listeners = new Set<(record: CallRecord) => void>();

  add(listener: (record: CallRecord) => void): () => void {
    const own = (record: CallRecord): void => listener(record);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  tell(record: CallRecord): void {
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(record);
      } catch {
        this.#listeners.delete(listener);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
