import { ErrorCode, RpcError, UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { TextSeal } from "../binding.ts";
import { Unavailable } from "../errors.ts";
import { expiryOf, FORMAT, isOver, ownerOf, type TaskBody, wakeOf } from "./body.ts";
import type { Change } from "./changes.ts";
import type { TaskRecord, TaskStore } from "./store.ts";

/** How often a change is tried again because somebody else has changed the task meanwhile. */
const MAX_TRIES = 100;

/** A task, and the version of its record. */
export interface KeptTask {
  readonly version: number;
  readonly task: TaskBody;
}

/** What a change has come to. */
export interface Changed {
  /** The task as it is now. */
  readonly task: TaskBody;
  /** Whether this call has changed it. */
  readonly isChanged: boolean;
}

/** What a record says that cannot be read here: another key has sealed it, or another version of this package has written it. */
export class UnreadableTask extends RpcError {
  /** When it may be deleted. */
  readonly expires: number | null;

  constructor({ id, expires }: TaskRecord) {
    super(ErrorCode.InternalError, `The task ${id} cannot be read by this server at the moment.`);
    this.expires = expires;
  }
}

/**
 * The tasks of a store, in the form that the rest of this folder knows. Everything that is not for the store to look at is sealed, if
 * there are keys. An engine that is down is `Unavailable`, and never a task that is not there.
 */
export class TaskRecords {
  readonly #store: TaskStore;
  readonly #seal: TextSeal | undefined;
  /** Is told of each change. */
  readonly #changed: (task: TaskBody, before: TaskBody | undefined) => void;
  readonly #watchers = new Map<string, Set<() => void>>();
  /** The last change of each task that this process is changing. */
  readonly #changing = new Map<string, Promise<void>>();

  constructor(
    store: TaskStore,
    seal: TextSeal | undefined,
    changed: (task: TaskBody, before: TaskBody | undefined) => void,
  ) {
    this.#store = store;
    this.#seal = seal;
    this.#changed = changed;
  }

  /** Keeps a new task. When this resolves, every process finds it. */
  async create(task: TaskBody): Promise<void> {
    const record = await this.#write(task, 1);
    const isCreated = await reach(this.#store.create(record));
    if (!isCreated) throw new UsageError("INVALID_STATE", `There is a task ${task.id} already.`);
    this.#changed(task, undefined);
  }

  /** Reads a task; `undefined` if there is none. */
  async read(id: string): Promise<KeptTask | undefined> {
    const record = await reach(this.#store.read(id));
    return record === undefined ? undefined : { version: record.version, task: await this.#open(record) };
  }

  /** Changes a task as it is at that moment, whoever else changes it. `undefined` if there is none. */
  change(id: string, change: Change): Promise<Changed | undefined> {
    // One after the other within this process: they would only make each other try again.
    const before = this.#changing.get(id) ?? Promise.resolve();
    const changing = before.then(() => this.#change(id, change));
    const settled = changing.then(ignore, ignore);
    this.#changing.set(id, settled);
    void settled.then(() => {
      if (this.#changing.get(id) === settled) this.#changing.delete(id);
    });
    return changing;
  }

  async #change(id: string, change: Change): Promise<Changed | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (tries > 1) await pause(tries);
      const kept = await this.read(id);
      if (kept === undefined) return undefined;
      const task = change(kept.task);
      if (task === undefined) return { task: kept.task, isChanged: false };
      const record = await this.#write(task, kept.version + 1);
      if (!(await reach(this.#store.replace(record, kept.version)))) continue;
      this.#tell(id);
      this.#changed(task, kept.task);
      return { task, isChanged: true };
    }
    throw new Unavailable(new Error(`The task ${id} is changed all the time by others.`));
  }

  async delete(id: string): Promise<void> {
    await reach(this.#store.delete(id));
    this.#tell(id);
  }

  due(now: number, limit: number): Promise<readonly string[]> {
    return reach(this.#store.due(now, limit));
  }

  count(owner: string | null): Promise<{ readonly owner: number; readonly all: number }> {
    return reach(this.#store.count(owner));
  }

  /** A page of the tasks of a caller by id. Those that cannot be read are left out. `last` is the last id if there are more. */
  async list(
    owner: string | null,
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly tasks: readonly TaskBody[]; readonly last: string | undefined }> {
    const records = await reach(this.#store.list(owner, after, limit + 1));
    const page = records.slice(0, limit);
    const opened = await Promise.all(page.map((record) => this.#open(record).catch(skipUnreadable)));
    const tasks = opened.filter((task) => task !== undefined);
    return { tasks, last: records.length > limit ? page.at(-1)?.id : undefined };
  }

  /** Calls back when a task may have changed. It may miss what other processes change. Returns what ends that. */
  watch(id: string, changed: () => void): () => void {
    const own = (): void => changed();
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(own));
    const stop = this.#store.watch?.(id, own);
    return () => {
      stop?.();
      watchers.delete(own);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
    };
  }

  #tell(id: string): void {
    for (const changed of this.#watchers.get(id) ?? []) changed();
  }

  async #write(task: TaskBody, version: number): Promise<TaskRecord> {
    const owner = ownerOf(task);
    const body = this.#seal === undefined ? JSON.stringify(task) : await this.#seal.seal(task, owner ?? undefined);
    const columns = { owner, expires: expiryOf(task), wake: wakeOf(task), isOver: isOver(task) };
    return { id: task.id, version, ...columns, body };
  }

  /** With keys, text in the clear is refused: whoever can write to the store could put words into the mouth of a caller. */
  async #open(record: TaskRecord): Promise<TaskBody> {
    const { id, owner, body } = record;
    const sealed = await this.#seal?.open(body, owner ?? undefined).catch(unavailable);
    const task = this.#seal === undefined ? parse(body) : sealed?.value;
    if (isObject(task) && task["format"] === FORMAT && task["id"] === id) return task as unknown as TaskBody;
    throw new UnreadableTask(record);
  }
}

/** Settles as an operation of a store does. A store that fails is down. */
function reach<T>(operation: Promise<T>): Promise<T> {
  return operation.catch(unavailable);
}

function unavailable(error: unknown): never {
  throw error instanceof RpcError ? error : new Unavailable(error);
}

function ignore(): void {}

/** Waits a little, at random: several processes that change the same task should not do so in step. */
function pause(tries: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, Math.random() * Math.min(tries, 20)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function skipUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableTask)) throw error;
  return undefined;
}
