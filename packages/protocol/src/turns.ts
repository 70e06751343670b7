/** Runs one piece of work after the other for each key, in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const run = async (): Promise<T> => {
      signal?.throwIfAborted();
      return work();
    };
    const turn = before === undefined ? run() : before.then(run, run);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
