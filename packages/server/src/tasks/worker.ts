import { ErrorCode, type Progress, RpcError } from "@toolwire/protocol";
import type { ExtensionHost } from "../define/extension-host.ts";
import { releaseTimer } from "../timers.ts";
import { expiryOf, isOver, type TaskBody } from "./body.ts";
import { asHolder, cancel, claim, expire, giveBack } from "./changes.ts";
import { FollowedTasks } from "./followed-tasks.ts";
import { MemoryTaskStore } from "./memory-store.ts";
import type { TasksSettings } from "./options.ts";
import { type KeptTask, TaskRecords, UnreadableTask } from "./records.ts";
import { type RunOwner, TaskRun } from "./task-run.ts";

/** The topic of `subscriptions/listen` that tells clients of changes. */
export const TOPIC = "taskIds";

/** How many due tasks are looked at in a row. */
const BATCH = 100;
/** How much time passes before the next ones are looked at: after a restart, there may be thousands. */
const PACE = 20;

/** Does the tasks of one server in this process: begins their work, takes up what others have left, and deletes what is over. */
export class TaskWorker implements RunOwner {
  readonly host: ExtensionHost;
  readonly settings: TasksSettings;
  readonly records: TaskRecords;
  readonly followed: FollowedTasks;
  /** The runs whose handlers have not ended, also if they do not count any more. */
  readonly #runs = new Set<TaskRun>();
  /** Those of them that take a place. */
  readonly #placed = new Set<TaskRun>();
  readonly #waiting: (() => void)[] = [];
  readonly #progress = new Map<string, Set<(progress: Progress) => void>>();
  readonly #taking = new Set<string>();
  #sweepTimer: ReturnType<typeof setTimeout> | undefined;
  #sweeping: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;
  #isClosed = false;
  /** Whether a task that was due was left alone, because all places were taken. */
  #hasRefused = false;
  /** Whether the operator knows that the store is down. */
  #isDown = false;

  constructor(host: ExtensionHost, settings: TasksSettings) {
    this.host = host;
    this.settings = settings;
    const { store } = settings;
    const survives = !(store instanceof MemoryTaskStore);
    const seal = survives ? host.createSeal("tasks") : undefined;
    if (survives && seal === undefined) {
      const message = "Tasks are kept in the clear, because the server has no keys: give it the option `stateKey`.";
      host.diagnose({ level: "warning", message });
    }
    this.records = new TaskRecords(store, seal, (task, before) => this.#tell(task, before));
    this.followed = new FollowedTasks(this.records, store, (id) => host.publish(TOPIC, id));
  }

  /** Begins to look for tasks that nobody works at. */
  start(): void {
    this.#stopListening = this.settings.store.onDue?.((id) => void this.take(id).catch(() => undefined));
    this.#sweepLater(0);
  }

  /** Ends everything that runs here. Another process may go on with it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#sweepTimer);
    this.#stopListening?.();
    this.followed.close();
    await this.#sweeping;
    // What cannot be written down is found out when the claims end.
    await Promise.allSettled(
      [...this.#runs].map(async (run) => {
        await run.interrupt();
        await this.settings.store.wake?.(run.id);
      }),
    );
  }

  /** Tells clients and the operator of what they can see of a change. */
  #tell(task: TaskBody, before: TaskBody | undefined): void {
    const { id, call, outcome, open, message } = task;
    const isSeen = outcome !== before?.outcome || open !== before?.open || message !== before?.message;
    if (isSeen) this.host.publish(TOPIC, id);
    this.followed.notice(task);
    const what = before === undefined ? "was created" : outcome !== before.outcome && `ended (${outcome?.kind})`;
    if (what === false) return;
    const caller = call.principal === undefined ? "" : ` of ${JSON.stringify(call.principal.id)}`;
    this.host.diagnose({ level: "debug", message: `The task ${id}${caller}, a call of ${call.params.name}, ${what}.` });
  }

  /** Waits for a place for a run. */
  async reserve(run: TaskRun): Promise<void> {
    this.#runs.add(run);
    while (this.#isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#placed.add(run);
  }

  /** Takes a place for a run that has begun already. */
  occupy(run: TaskRun): void {
    this.#runs.add(run);
    this.#placed.add(run);
  }

  ended(run: TaskRun): void {
    this.#runs.delete(run);
    this.rests(run);
  }

  rests(run: TaskRun): void {
    if (!this.#placed.delete(run)) return;
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (this.#hasRefused) this.#sweepLater(0);
  }

  lost({ id }: TaskRun, error: unknown): void {
    this.host.diagnose({ level: "error", message: `What the task ${id} has come to could not be kept.`, error });
  }

  lingers({ id }: TaskRun): void {
    const message = `The handler of the task ${id} goes on although it was told to stop: let it look at \`ctx.signal\`.`;
    this.host.diagnose({ level: "warning", message });
  }

  progressed(run: TaskRun, progress: Progress): void {
    for (const listener of this.#progress.get(run.id) ?? []) listener(progress);
  }

  /** Calls back when a run of a task in this process reports progress. Returns what ends that. */
  onProgress(id: string, listener: (progress: Progress) => void): () => void {
    const listeners = this.#progress.get(id) ?? new Set();
    this.#progress.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#progress.get(id) === listeners) this.#progress.delete(id);
    };
  }

  /** Lets somebody go on with a task that is due: this process if it has a place, and otherwise another one. */
  async resume(id: string): Promise<void> {
    if (!this.#isFull) return this.take(id);
    this.#hasRefused = true;
    await this.settings.store.wake?.(id);
  }

  /** Takes up a task that nobody works at, if there is a place for it. */
  async take(id: string): Promise<void> {
    if (this.#isClosed || this.#taking.has(id)) return;
    if (this.#isFull) {
      this.#hasRefused = true;
      return;
    }
    this.#taking.add(id);
    try {
      const { lease, keep } = this.settings;
      const kept = await this.records.read(id);
      if (kept === undefined || kept.task.server.name !== this.host.name) return;
      const terms = { now: Date.now(), lease, keep, isStarted: true };
      const claimed = await this.records.change(id, claim(terms));
      if (claimed?.isChanged !== true || isOver(claimed.task)) return;
      if (this.#isClosed) await this.records.change(id, asHolder(claimed.task.claim, giveBack(Date.now())));
      else this.#run(claimed.task);
    } finally {
      this.#taking.delete(id);
    }
  }

  /** Cancels a task. Returns it as it is then. */
  async cancel(id: string): Promise<{ readonly task: TaskBody; readonly isChanged: boolean } | undefined> {
    return this.records.change(id, cancel(Date.now(), this.settings.keep));
  }

  /** Reads a task that has not expired. One whose time is up without an outcome ends now. */
  async find(id: string): Promise<TaskBody | undefined> {
    const kept = await this.records.read(id);
    if (kept === undefined || !isPast(kept.task)) return kept?.task;
    if (isOver(kept.task)) return undefined;
    const expired = await this.records.change(id, expire(Date.now(), this.settings.keep));
    return expired?.task;
  }

  #run(task: TaskBody): void {
    const run = new TaskRun(this, task);
    this.occupy(run);
    const { params, revision, principal, isLocal, clientInfo, clientCapabilities } = task.call;
    const call = { params, revision, principal, isLocal, clientInfo, clientCapabilities };
    run.attach(this.host.call(call, run));
  }

  get #isFull(): boolean {
    return this.#placed.size + this.#taking.size >= this.settings.maxRunning;
  }

  /** Looks for due tasks after a while; at random, so that processes do not look in step. */
  #sweepLater(delay: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#sweepTimer);
    this.#sweepTimer = setTimeout(() => {
      this.#sweeping ??= this.#sweep().then((hasMore) => {
        this.#sweeping = undefined;
        const isIdle = !hasMore && !(this.#hasRefused && !this.#isFull);
        this.#sweepLater(isIdle ? this.settings.sweepInterval * (0.8 + 0.4 * Math.random()) : PACE);
      });
    }, delay);
    releaseTimer(this.#sweepTimer);
  }

  /** Looks at what is due. Resolves to whether there may be more. */
  async #sweep(): Promise<boolean> {
    try {
      this.#hasRefused = false;
      const due = await this.records.due(Date.now(), BATCH);
      let done = 0;
      for (const id of due) if (!this.#isClosed && (await this.#look(id))) done += 1;
      this.#isDown = false;
      return due.length === BATCH && done > 0;
    } catch (error) {
      if (!this.#isDown) {
        this.host.diagnose({ level: "error", message: "The store of tasks cannot be used at the moment.", error });
      }
      this.#isDown = true;
      return false;
    }
  }

  /** Does what is due about a task: deletes it, ends it, or goes on with it. Resolves to whether that was possible. */
  async #look(id: string): Promise<boolean> {
    const kept = await this.#readOrDrop(id);
    if (kept === undefined) return false;
    const { task } = kept;
    if (!isPast(task)) {
      await this.take(id);
      return !this.#hasRefused;
    }
    if (isOver(task)) await this.records.delete(id);
    else await this.records.change(id, expire(Date.now(), this.settings.keep));
    return true;
  }

  /** A task that cannot be read here may be one that another process can read: it is deleted only when it has expired. */
  async #readOrDrop(id: string): Promise<KeptTask | undefined> {
    try {
      return await this.records.read(id);
    } catch (error) {
      if (!(error instanceof UnreadableTask)) throw error;
      if (error.expires !== null && error.expires + this.settings.keep <= Date.now()) await this.records.delete(id);
      return undefined;
    }
  }
}

/** Whether the time of a task is up. */
function isPast(task: TaskBody): boolean {
  const expires = expiryOf(task);
  return expires !== null && expires <= Date.now();
}

/** Refuses one more task than a caller, or all callers, may have. */
export async function admit({ records, settings }: TaskWorker, owner: string | null): Promise<void> {
  // Some stores look at every task to count those that are open.
  if (settings.perCaller === Infinity && settings.maxTasks === Infinity) return;
  const open = await records.count(owner);
  const problem =
    open.owner >= settings.perCaller
      ? `You have ${open.owner} unfinished tasks, and more are not allowed`
      : open.all >= settings.maxTasks
        ? "The server has as many unfinished tasks as it can"
        : undefined;
  if (problem === undefined) return;
  throw new RpcError(
    ErrorCode.InternalError,
    `${problem}: wait until some have ended, or cancel some. Nothing was done.`,
  );
}
