/** What keeps tasks. The truth about a task is its record in a store: nothing else has to survive a crash. */

/** A task as a store keeps it. The store looks at the members other than `body` only. */
export interface TaskRecord {
  readonly id: string;
  /** One more with each write. */
  readonly version: number;
  /** The caller whose task it is; `null` for callers without authentication. */
  readonly owner: string | null;
  /** When the task may be deleted, in milliseconds since 1970; `null`: never. */
  readonly expires: number | null;
  /** When somebody has to look at it again: the end of a lease, or of a delay. `null`: when it changes. */
  readonly wake: number | null;
  /** Whether it has ended. Only tasks that have not count towards limits. */
  readonly isOver: boolean;
  /** Everything else, as text: sealed, if the server has keys. */
  readonly body: string;
}

/**
 * Keeps tasks. Every method may reject; the caller then knows nothing, and each write can be repeated. A rejection is an engine that is
 * down, never a task that is not there.
 */
export interface TaskStore {
  /** Keeps a new task. When it resolves, every process finds it. Resolves to false if there is a task of this id. */
  create(record: TaskRecord): Promise<boolean>;
  /** Reads a task; `undefined` if there is none. */
  read(id: string): Promise<TaskRecord | undefined>;
  /** Puts a record in the place of one with this version. Resolves to false if there is none: somebody was faster, or has deleted it. */
  replace(record: TaskRecord, ifVersion: number): Promise<boolean>;
  /** Deletes a task, whatever its version. */
  delete(id: string): Promise<void>;
  /** Lists the ids of at most `limit` tasks whose `wake` or `expires` is not later than `now`, the longest due first. */
  due(now: number, limit: number): Promise<readonly string[]>;
  /** Counts the tasks that are not over: of one caller, and of all. */
  count(owner: string | null): Promise<{ readonly owner: number; readonly all: number }>;
  /** Lists the tasks of a caller by id, at most `limit` of those after an id. */
  list(owner: string | null, after: string | undefined, limit: number): Promise<readonly TaskRecord[]>;
  /** Calls back when a task may have changed, in any process. It may be called too often, and may miss changes. Returns what ends that. */
  watch?(id: string, changed: () => void): () => void;
  /** Calls back when a task may be due, in any process: a worker looks for it at once. Returns what ends that. */
  onDue?(due: (id: string) => void): () => void;
  /** Tells the workers of all processes that a task is due now. It may be lost: workers look for themselves as well. */
  wake?(id: string): Promise<void>;
}
