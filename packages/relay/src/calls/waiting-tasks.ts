/** How many tasks are remembered. The oldest one makes room: its upstream then ends it when its time is up. */
const MAX_WAITING = 10_000;

/**
 * The tasks of upstreams whose questions wait for callers. Nothing runs here for such a task, so that nobody would hear that it was
 * cancelled.
 */
export class WaitingTasks {
  readonly #cancel = new Map<string, () => void>();

  /** Remembers how a task is cancelled at the upstream. `id` is that of our own task. */
  add(id: string, cancel: () => void): void {
    this.#cancel.delete(id);
    this.#cancel.set(id, cancel);
    const [oldest] = this.#cancel.keys();
    if (this.#cancel.size > MAX_WAITING && oldest !== undefined) this.#cancel.delete(oldest);
  }

  /** Forgets a task, because it goes on. */
  delete(id: string): void {
    this.#cancel.delete(id);
  }

  /** Cancels a task at the upstream, if it waits. */
  cancel(id: string): void {
    const cancel = this.#cancel.get(id);
    this.#cancel.delete(id);
    cancel?.();
  }
}
