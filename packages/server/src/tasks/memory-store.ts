import type { TaskRecord, TaskStore } from "./store.ts";

/**
 * Makes a store that keeps tasks in memory, as long as the process lives. For tests, and for servers whose tasks may end with them.
 * `tasks()` uses one unless you give it another.
 */
export function memoryTaskStore(): TaskStore {
  return new MemoryTaskStore();
}

/** Tasks in memory. */
export class MemoryTaskStore implements TaskStore {
  readonly #records = new Map<string, TaskRecord>();
  /** How many tasks of each caller are not over. */
  readonly #open = new Map<string | null, number>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<(id: string) => void>();

  async create(record: TaskRecord): Promise<boolean> {
    if (this.#records.has(record.id)) return false;
    this.#keep(record);
    return true;
  }

  async read(id: string): Promise<TaskRecord | undefined> {
    return this.#records.get(id);
  }

  async replace(record: TaskRecord, ifVersion: number): Promise<boolean> {
    if (this.#records.get(record.id)?.version !== ifVersion) return false;
    this.#keep(record);
    return true;
  }

  async delete(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record === undefined) return;
    this.#records.delete(id);
    this.#count(record, -1);
    this.#tell(id);
  }

  async due(now: number, limit: number): Promise<readonly string[]> {
    const due = [...this.#records.values()].filter((record) => dueAt(record) <= now);
    return due
      .toSorted((a, b) => dueAt(a) - dueAt(b))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async count(owner: string | null): Promise<{ readonly owner: number; readonly all: number }> {
    let all = 0;
    for (const open of this.#open.values()) all += open;
    return { owner: this.#open.get(owner) ?? 0, all };
  }

  async list(owner: string | null, after: string | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const owned = [...this.#records.values()].filter((record) => record.owner === owner);
    const later = after === undefined ? owned : owned.filter(({ id }) => id > after);
    return later.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  watch(id: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers);
    // Each call counts alone, even if several pass the same function.
    const own = (): void => changed();
    watchers.add(own);
    return () => {
      watchers.delete(own);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
    };
  }

  onDue(due: (id: string) => void): () => void {
    const own = (id: string): void => due(id);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async wake(id: string): Promise<void> {
    for (const due of this.#listeners) due(id);
  }

  #keep(record: TaskRecord): void {
    const before = this.#records.get(record.id);
    if (before !== undefined) this.#count(before, -1);
    this.#count(record, 1);
    // A copy, because nobody who was given a record may change what is kept.
    this.#records.set(record.id, { ...record });
    this.#tell(record.id);
  }

  #count({ owner, isOver }: TaskRecord, by: number): void {
    if (isOver) return;
    const open = (this.#open.get(owner) ?? 0) + by;
    if (open === 0) this.#open.delete(owner);
    else this.#open.set(owner, open);
  }

  #tell(id: string): void {
    for (const changed of this.#watchers.get(id) ?? []) changed();
  }
}

/** When somebody has to look at a task: to delete it, or to go on with it. */
function dueAt({ wake, expires }: TaskRecord): number {
  return Math.min(wake ?? Infinity, expires ?? Infinity);
}
