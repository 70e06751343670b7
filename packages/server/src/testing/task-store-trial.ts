import { ContractViolation } from "@toolwire/protocol/testing";
import type { TaskRecord, TaskStore } from "../tasks/store.ts";

/** How the suite gets stores. */
export interface TaskStoreContractOptions {
  /**
   * Opens the store under test: called twice by each check, as two processes would that share what it keeps. A store that no other
   * process can share returns the same one. It may have other tasks in it, but nobody else may add some meanwhile.
   */
  readonly open: () => TaskStore | Promise<TaskStore>;
  /** Releases what a call of `open` has made. */
  readonly close?: ((store: TaskStore) => void | Promise<void>) | undefined;
  /** How many milliseconds one check may take. Default 4000. */
  readonly timeout?: number | undefined;
}

const DEFAULT_TIMEOUT = 4000;

/** How long to wait for something that must not happen. */
const SETTLE_MS = 50;

const POLL_MS = 5;

/** One run of a check: the stores that it has, and the time that is left. */
export class TaskStoreTrial {
  /** More tasks than any check makes, also if the store has others. */
  readonly most = 10_000;
  readonly #options: TaskStoreContractOptions;
  readonly #deadline: number;
  readonly #stores: TaskStore[] = [];
  readonly #ids = new Set<string>();

  constructor(options: TaskStoreContractOptions) {
    this.#options = options;
    this.#deadline = performance.now() + (options.timeout ?? DEFAULT_TIMEOUT);
  }

  async open(): Promise<TaskStore> {
    const store = await this.#options.open();
    this.#stores.push(store);
    return store;
  }

  async openTwo(): Promise<[TaskStore, TaskStore]> {
    return [await this.open(), await this.open()];
  }

  /** An id that nothing else has. */
  id(): string {
    const id = `task-${crypto.randomUUID().replaceAll("-", "")}`;
    this.#ids.add(id);
    return id;
  }

  /** A task of an owner that nobody else is. */
  record(parts: Partial<TaskRecord> = {}): TaskRecord {
    const id = parts.id ?? this.id();
    return {
      id,
      version: 1,
      owner: `owner of ${id}`,
      expires: 2 ** 44,
      wake: null,
      isOver: false,
      body: "{}",
      ...parts,
    };
  }

  /** The next version of a task. */
  next(record: TaskRecord, parts: Partial<TaskRecord> = {}): TaskRecord {
    return { ...record, version: record.version + 1, ...parts };
  }

  /** Those of the ids that belong to this check. */
  own(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => this.#ids.has(id));
  }

  async isDue(store: TaskStore, id: string): Promise<boolean> {
    return (await store.due(2 ** 50, this.most)).includes(id);
  }

  /** Looks again and again until a condition holds. Rejects with `explain()` if it does not in time. */
  async until(isMet: (turn: number) => Promise<boolean>, explain: () => string): Promise<void> {
    for (let turn = 0; !(await isMet(turn)); turn += 1) {
      if (performance.now() >= this.#deadline) throw new ContractViolation(explain());
      await new Promise((resolve) => void setTimeout(resolve, POLL_MS * Math.random()));
    }
  }

  /** Waits a little for something that must not happen. */
  settled(): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, SETTLE_MS));
  }

  /** Runs a check in its time. */
  async run(check: { run(trial: TaskStoreTrial): Promise<void> }): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const problem = new ContractViolation("A method of the store did not settle in time.");
      timer = setTimeout(() => reject(problem), this.#deadline + SETTLE_MS * 10 - performance.now());
    });
    try {
      await Promise.race([check.run(this), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Deletes the tasks of this check, and closes the stores. */
  async end(): Promise<void> {
    const [store] = this.#stores;
    if (store !== undefined) await Promise.allSettled([...this.#ids].map((id) => store.delete(id)));
    await Promise.allSettled(this.#stores.map(async (each) => this.#options.close?.(each)));
  }
}
