import { releaseTimer } from "../timers.ts";
import { isOver, type TaskBody } from "./body.ts";
import { MemoryTaskStore } from "./memory-store.ts";
import type { TaskRecords } from "./records.ts";
import type { TaskStore } from "./store.ts";

/** How much time passes between two looks at what other processes may have changed. */
const LOOK_INTERVAL = 1000;

/** A task that somebody listens to. */
interface Followed {
  listeners: number;
  /** When it was changed last, as far as this process knows. */
  updatedAt: number;
  /** Ends what the store tells. Absent: the store does not tell. */
  readonly stop: (() => void) | undefined;
}

/**
 * The tasks that clients of this process listen to. Other processes may change them, and a store need not tell: then they are read
 * again and again, each once for all its listeners, until they are over.
 */
export class FollowedTasks {
  readonly #records: TaskRecords;
  readonly #store: TaskStore;
  readonly #changed: (id: string) => void;
  readonly #followed = new Map<string, Followed>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(records: TaskRecords, store: TaskStore, changed: (id: string) => void) {
    this.#records = records;
    this.#store = store;
    this.#changed = changed;
  }

  /** Tells of changes of a task until the signal aborts. */
  follow(task: TaskBody, signal: AbortSignal): void {
    if (this.#store instanceof MemoryTaskStore || signal.aborted) return;
    const followed = this.#followed.get(task.id) ?? this.#begin(task);
    followed.listeners += 1;
    signal.addEventListener("abort", () => this.#leave(task.id), { once: true });
  }

  /** Notes a change by this process, of which its clients have been told. */
  notice({ id, updatedAt }: TaskBody): void {
    const followed = this.#followed.get(id);
    if (followed !== undefined) followed.updatedAt = updatedAt;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { stop } of this.#followed.values()) stop?.();
    this.#followed.clear();
  }

  #begin({ id, updatedAt }: TaskBody): Followed {
    const stop = this.#store.watch?.(id, () => this.#changed(id));
    const followed: Followed = { listeners: 0, updatedAt, stop };
    this.#followed.set(id, followed);
    if (stop === undefined) this.#lookLater();
    return followed;
  }

  #leave(id: string): void {
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    followed.listeners -= 1;
    if (followed.listeners === 0) this.#forget(id);
  }

  #forget(id: string): void {
    this.#followed.get(id)?.stop?.();
    this.#followed.delete(id);
  }

  #lookLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = undefined;
        if (this.#followed.size > 0) this.#lookLater();
      });
    }, LOOK_INTERVAL);
    releaseTimer(this.#timer);
  }

  async #look(): Promise<void> {
    for (const [id, followed] of this.#followed) {
      if (followed.stop !== undefined) continue;
      const kept = await this.#records.read(id).catch(() => "unknown" as const);
      // The store may be down for a while.
      if (kept === "unknown") continue;
      if (kept !== undefined && kept.task.updatedAt !== followed.updatedAt) {
        followed.updatedAt = kept.task.updatedAt;
        this.#changed(id);
      }
      if (kept === undefined || isOver(kept.task)) this.#forget(id);
    }
  }
}
