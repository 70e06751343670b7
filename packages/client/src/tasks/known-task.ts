import { isOver, isSameState, type TaskSnapshot, type TaskState } from "./task-snapshot.ts";

/** What is known of a task, and since when it exists. */
export class KnownTask {
  readonly id: string;
  /** Whether it was read since it was made, so that everything that its state comes with is there. */
  isRead = false;
  #snapshot: TaskSnapshot;
  #state: TaskState;
  /** When it was made, by the clock of this machine. */
  #since: number;
  readonly #listeners = new Set<() => void>();

  constructor(first: TaskSnapshot) {
    this.id = first.id;
    this.#snapshot = first;
    this.#state = first.state;
    this.#since = Date.now() - ageOf(first.state);
  }

  get snapshot(): TaskSnapshot {
    return this.#snapshot;
  }

  /** The state: the same object for as long as it looks the same. */
  get state(): TaskState {
    return this.#state;
  }

  get isOver(): boolean {
    return isOver(this.#state);
  }

  /** When the server may forget it, by the clock of this machine. */
  get end(): number {
    return this.#since + (this.#state.ttl ?? Infinity);
  }

  /** Takes what was read or announced. An end is an end, and news that are older than what is known are none. */
  take(snapshot: TaskSnapshot): void {
    if (this.isRead && (this.isOver || isOlder(snapshot.state, this.#state))) return;
    // A task that is resumed is older than it seemed.
    if (!this.isRead) this.#since = Math.min(this.#since, Date.now() - ageOf(snapshot.state));
    this.#snapshot = snapshot;
    this.isRead = true;
    if (isSameState(this.#state, snapshot.state)) return;
    this.#state = snapshot.state;
    this.tell();
  }

  /** Calls back once, when the state has changed or the task is let go. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Tells all who wait for a change. */
  tell(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}

/** How old a task was at least when its state was written: two times of one clock can be compared. */
function ageOf({ createdAt, updatedAt }: TaskState): number {
  const age = Date.parse(updatedAt ?? "") - Date.parse(createdAt ?? "");
  return age > 0 ? age : 0;
}

/** Whether one state was written before another, as far as their dates say so. */
function isOlder(one: TaskState, other: TaskState): boolean {
  return Date.parse(one.updatedAt ?? "") < Date.parse(other.updatedAt ?? "");
}
