import { type InputRequest, type JsonValue, type Progress, RpcError, UsageError } from "@toolwire/protocol";
import type { CallOutcome, DetachedCall, DetachedRun, RunQuestions } from "../define/tool-hooks.ts";
import type { Awaitable } from "../define/tool.ts";
import { InputRequired, ToolError, Unavailable } from "../errors.ts";
import { releaseTimer } from "../timers.ts";
import { isOver, type TaskBody, type TaskOutcome } from "./body.ts";
import {
  asHolder,
  type Change,
  failure,
  giveBack,
  INTERRUPTED,
  recordStep,
  renew,
  say,
  settle,
  suspend,
} from "./changes.ts";
import type { TasksSettings } from "./options.ts";
import type { TaskRecords } from "./records.ts";

/** How often a client may answer a question in a form that does not fit. */
const MAX_ANSWERS = 3;
/** The most characters of what a task says about itself. */
export const MAX_MESSAGE = 1024;
/** The shortest time between two messages of a task that are kept. */
const MESSAGE_INTERVAL = 1000;
/** The longest time to wait before a write that has failed is tried again. */
const MAX_RETRY_DELAY = 1000;

/** What a run needs of its worker. */
export interface RunOwner {
  readonly records: TaskRecords;
  readonly settings: TasksSettings;
  /** The run has ended: nothing of it goes on. */
  ended(run: TaskRun): void;
  progressed(run: TaskRun, progress: Progress): void;
  /** The handler only waits from now on. */
  rests(run: TaskRun): void;
  /** The outcome could not be kept while the claim held. */
  lost(run: TaskRun, error: unknown): void;
  /** The handler goes on although it was told to stop. */
  lingers(run: TaskRun): void;
}

/**
 * One run of the handler of a task, by one claim. It asks by ending, and an answer leads to another run. Everything that it writes
 * counts only as long as its claim holds.
 */
export class TaskRun implements DetachedRun {
  readonly questions: RunQuestions;
  readonly #owner: RunOwner;
  /** The task as it was claimed. */
  readonly #task: TaskBody;
  readonly #open = new Map<string, InputRequest>();
  readonly #steps = new Map<string, Promise<unknown>>();
  #journalSize: number;
  #call: DetachedCall | undefined;
  /** Why the run does not count any more. */
  #stopped: Error | undefined;
  /** Whether the task was ended by somebody else. */
  #isTaskOver = false;
  #leaseEnd: number;
  #isStarted: boolean;
  readonly #renewal: ReturnType<typeof setInterval>;
  #lingering: ReturnType<typeof setTimeout> | undefined;
  #message: string | undefined;
  #lastFlush = 0;
  #messageTimer: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;
  /** How many writes are on their way. */
  #writes = 0;
  readonly #unwatch: () => void;

  constructor(owner: RunOwner, task: TaskBody) {
    this.#owner = owner;
    this.#task = task;
    this.#leaseEnd = task.lease?.until ?? 0;
    this.#isStarted = task.lease?.isStarted === true;
    this.#journalSize = sizeOf([task.done, task.answers]);
    this.questions = {
      ask: async (key, request, attempt, problem) => this.#ask(key, request, attempt, problem),
      once: (key, work) => this.#once(key, work),
    };
    this.#renewal = setInterval(() => void this.#renew(), owner.settings.lease / 3);
    releaseTimer(this.#renewal);
    this.#unwatch = owner.records.watch(task.id, () => void this.#check());
  }

  get id(): string {
    return this.#task.id;
  }

  /** Which try this is, of those that processes have not survived. */
  get attempt(): number {
    return this.#task.losses + 1;
  }

  /** Why the run does not count any more; `undefined` as long as it does. */
  get stopped(): Error | undefined {
    return this.#stopped;
  }

  /** Takes the call that does the work. */
  attach(call: DetachedCall): void {
    this.#call = call;
    if (this.#stopped !== undefined) call.abort(this.#stopped);
  }

  /** Notes that the work begins. From then on, a process that ends leaves a half-done task behind. */
  async start(): Promise<void> {
    this.#isStarted = true;
    if (this.#task.lease?.isStarted !== true) await this.#write(renew(this.#nextLease(), true));
  }

  /** Whether somebody else may go on with the task, although this run was stopped. */
  get mayGoOn(): boolean {
    return this.#stopped !== undefined && !this.#isTaskOver;
  }

  /** Gives the place of the run to another, because its handler only waits from now on. */
  rest(): void {
    this.#owner.rests(this);
  }

  /** Tells the handler to stop. What it does from now on does not count. */
  stop(reason: Error): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reason;
    this.#forgetTimers();
    this.#call?.abort(reason);
    if (this.#hasEnded) return;
    this.#lingering = setTimeout(() => this.#owner.lingers(this), this.#owner.settings.lease);
    releaseTimer(this.#lingering);
  }

  /** Stops, because the server ends. Another process may go on. Resolves when that is written down. */
  async interrupt(): Promise<void> {
    if (this.#stopped !== undefined || this.#hasEnded) return;
    const isLost = this.#isStarted && this.#task.settings.resume === "fail";
    this.#isTaskOver = isLost;
    this.stop(aborted("The server is shutting down."));
    const { records, settings } = this.#owner;
    const now = Date.now();
    const change = isLost ? settle(INTERRUPTED, now, settings.keep) : giveBack(now);
    await records.change(this.id, asHolder(this.#task.claim, change));
  }

  progress(progress: Progress): void {
    if (progress.message !== undefined) this.say(progress.message);
    if (this.#stopped === undefined) this.#owner.progressed(this, progress);
  }

  /** Says what the task is doing. Of several messages within a second, the last one is kept. */
  say(message: string): void {
    if (this.#stopped !== undefined || this.#hasEnded) return;
    this.#message = message.slice(0, MAX_MESSAGE);
    this.#messageTimer ??= setTimeout(() => this.#flush(), this.#lastFlush + MESSAGE_INTERVAL - Date.now());
    releaseTimer(this.#messageTimer);
  }

  #flush(): void {
    this.#messageTimer = undefined;
    const message = this.#message;
    if (message === undefined || this.#stopped !== undefined || this.#hasEnded) return;
    this.#message = undefined;
    this.#lastFlush = Date.now();
    void this.#write(say(message, this.#lastFlush)).catch(() => undefined);
  }

  ended(outcome: CallOutcome): void {
    this.#hasEnded = true;
    clearTimeout(this.#messageTimer);
    clearTimeout(this.#lingering);
    void this.#conclude(outcome)
      .catch((error: unknown) => this.#owner.lost(this, error))
      .finally(() => {
        this.#forgetTimers();
        this.#owner.ended(this);
      });
  }

  async #conclude(outcome: CallOutcome): Promise<void> {
    if (this.#stopped !== undefined) return;
    const now = Date.now();
    const { keep } = this.#owner.settings;
    if (this.#open.size > 0) {
      const message = this.#message;
      const suspended = suspend(this.#open, now);
      await this.#write(message === undefined ? suspended : (task) => suspended({ ...task, message }));
    } else await this.#write(settle(this.#toOutcome(outcome), now, keep));
  }

  #toOutcome(outcome: CallOutcome): TaskOutcome {
    if (outcome.kind === "suspended") {
      return failure("The work was ended as if it had asked something, and it had not.");
    }
    if (outcome.kind === "error") {
      const { code, message, data } = outcome.error;
      const isKept = data !== undefined && sizeOf(data) <= this.#owner.settings.maxResult;
      return { kind: "error", error: { code, message, ...(isKept && { data: data as JsonValue }) } };
    }
    const { resultType: _type, ...result } = outcome.result as typeof outcome.result & { resultType?: unknown };
    const size = sizeOf(result);
    const { maxResult } = this.#owner.settings;
    if (size === Infinity) return failure("The result of the tool is no JSON.");
    return size > maxResult
      ? failure(`The result of the tool has ${size} characters, and ${maxResult} can be kept.`)
      : { kind: "result", result };
  }

  #ask(key: string, request: InputRequest, attempt: number, problem: string | undefined): unknown {
    this.#expectCounting();
    const shown = shownKey(key, attempt);
    if (Object.hasOwn(this.#task.answers, shown)) return this.#task.answers[shown];
    if (attempt >= MAX_ANSWERS) {
      throw new ToolError(`The client's answers to ${request.method} did not fit: ${problem ?? "they were malformed"}`);
    }
    if (this.#open.size >= this.#owner.settings.maxQuestions) {
      throw new ToolError(`More than ${this.#owner.settings.maxQuestions} questions were asked at the same time.`);
    }
    this.#open.set(shown, problem === undefined ? request : explainProblem(request, problem));
    throw new InputRequired();
  }

  #once<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    const { done } = this.#task;
    if (Object.hasOwn(done, key)) return Promise.resolve(done[key]?.value as T);
    const known = this.#steps.get(key);
    if (known !== undefined) return known as Promise<T>;
    const step = this.#do(key, work);
    this.#steps.set(key, step);
    return step;
  }

  async #do<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    this.#expectCounting();
    const value = await work();
    this.#journalSize += key.length + sizeOf(value);
    const { maxJournal } = this.#owner.settings;
    if (this.#journalSize > maxJournal) {
      const message = `What a task has done by \`once\` has to be JSON of at most ${maxJournal} characters.`;
      throw new UsageError("INVALID_ARGUMENT", `${message} Keep large things elsewhere, and their addresses here.`);
    }
    await this.#write(recordStep(key, value));
    this.#expectCounting();
    return value;
  }

  #expectCounting(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** Looks whether the task was ended or taken over by somebody else. */
  async #check(): Promise<void> {
    // A write of this run finds out as well.
    if (this.#stopped !== undefined || this.#hasEnded || this.#writes > 0) return;
    const kept = await this.#owner.records.read(this.id).catch(() => "unknown" as const);
    if (kept === "unknown" || this.#hasEnded) return;
    const problem = this.#findProblem(kept?.task);
    if (problem !== undefined) this.stop(problem);
  }

  #findProblem(task: TaskBody | undefined): Error | undefined {
    this.#isTaskOver = task === undefined || isOver(task);
    if (task === undefined) return aborted("The task was deleted.");
    if (task.outcome?.kind === "cancelled") return aborted("The task was cancelled.");
    if (isOver(task)) return aborted("The task has ended.");
    return task.claim === this.#task.claim ? undefined : aborted("Another process has taken the task up.");
  }

  async #renew(): Promise<void> {
    if (this.#stopped !== undefined) return;
    const until = this.#nextLease();
    try {
      await this.#writeOnce(renew(until, this.#isStarted));
    } catch (error) {
      if (!(error instanceof RpcError) || Date.now() < this.#leaseEnd) return;
      this.stop(aborted("The store of tasks could not be reached for so long that the task was lost."));
    }
  }

  #nextLease(): number {
    return Date.now() + this.#owner.settings.lease;
  }

  /** Writes, and tries again as long as the claim may hold if the store cannot be reached. */
  async #write(change: Change): Promise<void> {
    for (let delay = 20; ; delay = Math.min(delay * 2, MAX_RETRY_DELAY)) {
      try {
        await this.#writeOnce(change);
        return;
      } catch (error) {
        if (!(error instanceof Unavailable) || this.#stopped !== undefined || Date.now() + delay >= this.#leaseEnd) {
          throw error;
        }
        await new Promise((resolve) => void setTimeout(resolve, delay));
      }
    }
  }

  async #writeOnce(change: Change): Promise<void> {
    this.#writes += 1;
    const changed = await this.#owner.records
      .change(this.id, asHolder(this.#task.claim, change))
      .finally(() => (this.#writes -= 1));
    const problem = changed?.isChanged === true ? undefined : this.#findProblem(changed?.task);
    if (changed?.task.lease !== undefined && problem === undefined) this.#leaseEnd = changed.task.lease.until;
    if (problem !== undefined) this.stop(problem);
  }

  #forgetTimers(): void {
    clearInterval(this.#renewal);
    clearTimeout(this.#messageTimer);
    this.#unwatch();
  }
}

/**
 * The key of a question as the client sees it. A question that is asked again needs a key that was never seen before (extension,
 * "Task Update Requests"): clients answer each key once. Keys of handlers with a tilde are told from these by doubling it.
 */
export function shownKey(key: string, attempt: number): string {
  const plain = key.replaceAll("~", "~~");
  return attempt === 0 ? plain : `${plain}~${attempt + 1}`;
}

/** The reason for which a handler is told to stop. */
function aborted(why: string): Error {
  return new DOMException(why, "AbortError");
}

/** Tells the user what was wrong with the last answer. */
function explainProblem(request: InputRequest, problem: string): InputRequest {
  if (request.method !== "elicitation/create") return request;
  const message = `${request.params.message}\n\nThe last answer did not fit: ${problem}`;
  return { ...request, params: { ...request.params, message } };
}

/** The number of characters of a value as JSON; infinite if it is none. */
export function sizeOf(value: unknown): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return Infinity;
  }
}
