import { ErrorCode, type InputResponses, RpcError, UsageError } from "@toolwire/protocol";
import type { RequestOptions } from "../call-options.ts";
import type { ExtensionClient, ExtensionSubscription, QuestionContext } from "../extensions/extension.ts";
import { follow, untilAborted, wait } from "../waiting.ts";
import type { Announcements } from "./announcements.ts";
import { Failures, intervalOf, isPassing } from "./pace.ts";
import { TaskQuestions } from "./questions.ts";
import { TaskError } from "./task-error.ts";
import { isOver, isSameState, type TaskSnapshot, type TaskState } from "./task-snapshot.ts";
import type { TaskGeneration, TaskWire } from "./wire.ts";

/** A task to wait for, and everything that it takes. */
export interface TaskDriverOptions {
  readonly client: ExtensionClient;
  readonly wire: TaskWire;
  readonly announcements: Announcements;
  /** The task as the server has described it when it was made. */
  readonly first: TaskSnapshot;
  /** The request for which the task was made. */
  readonly request: QuestionContext["request"];
  /** Aborted when its caller wants the task no more. The task is cancelled then, unless the client is closed. */
  readonly signal: AbortSignal | undefined;
  readonly maxQuestions: number;
  /** For how many milliseconds the server may be out of reach. */
  readonly maxSilence: number;
}

/** The shortest time between two looks that are asked for by announcements. */
const SHORTEST_PAUSE = 50;

/** Waits for the end of one task: looks at it again and again, and has its questions answered. */
export class TaskDriver {
  readonly id: string;
  readonly #options: TaskDriverOptions;
  /** Aborted when the task is over, or nobody waits for it any more. */
  readonly #stop = new AbortController();
  readonly #questions: TaskQuestions;
  readonly #failures: Failures;
  readonly #listeners = new Set<() => void>();
  /** When the task was made, by the clock of this machine. */
  #since: number;
  #snapshot: TaskSnapshot;
  #state: TaskState;
  /** Whether the task was read since it was made, so that everything that its state comes with is there. */
  #isRead = false;
  /** Whether something may have changed since the last look. */
  #isStale: boolean;
  /** Whether the server has announced a state since then, so that there is no need to look. */
  #hasNews = false;
  #lastLook = 0;
  /** The milliseconds to wait after a failure. */
  #backoff: number | undefined;
  #wake: AbortController | undefined;
  #looking: Promise<void> | undefined;
  #subscription: ExtensionSubscription | undefined;
  #hasListened = false;
  /** The request that waits for the result of a task that waits for input (2025-11-25). */
  #waiting: Promise<void> | undefined;
  #early: object | undefined;
  /** Whether the server has agreed to cancel it. */
  #isCancelled = false;
  /** Whether the task is of no more use to anybody here, so that the server need not go on. */
  #isUnwanted = false;

  constructor(options: TaskDriverOptions) {
    const { first, client, request, maxQuestions, maxSilence } = options;
    this.#options = options;
    this.id = first.id;
    this.#snapshot = first;
    this.#state = first.state;
    this.#isStale = first.state.status !== "working";
    this.#since = Date.now() - ageOf(first.state);
    this.#failures = new Failures(maxSilence);
    this.#questions = new TaskQuestions({
      client,
      context: { request, signal: this.#stop.signal },
      most: maxQuestions,
      send: (answers) => this.#send(answers),
      failed: (error) => this.#giveUp(error),
    });
  }

  get state(): TaskState {
    return this.#state;
  }

  /** The protocol by which the task was made. */
  get generation(): TaskGeneration {
    return this.#options.wire.generation;
  }

  /** Whether nobody waits for the task any more, mostly because it is over. */
  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves to the result of the task, which is still to be checked. Called once. */
  async run(): Promise<object> {
    const { signal, client, announcements } = this.#options;
    const unfollow = [follow(signal, this.#stop), follow(client.over, this.#stop)];
    const deafen = announcements.hear({
      id: this.id,
      signal: this.#stop.signal,
      announced: () => {},
      changed: () => this.#poke(),
    });
    try {
      return await untilAborted(this.#drive(), this.#stop.signal);
    } catch (error) {
      const isAborted = signal?.aborted === true && !client.over.aborted;
      if (this.#isUnwanted || (isAborted && !isOver(this.#state))) this.#cancelQuietly();
      throw error;
    } finally {
      for (const forget of unfollow) forget?.();
      deafen();
      this.#stop.abort(new TaskError("DETACHED", "Nobody waits for the task any more."));
      this.#subscription?.close();
      this.#tell();
    }
  }

  /** Resolves when the state has changed, or the task is over. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) resolve();
      else this.#listeners.add(resolve);
    });
  }

  /** Looks at the task now. */
  async refresh(): Promise<TaskState> {
    if (this.isOver) return this.#state;
    await this.#look();
    this.#hasNews = true;
    this.#wake?.abort();
    return this.#state;
  }

  /** Asks the server to cancel the task. It may still be completed. */
  async cancel(): Promise<void> {
    const { wire } = this.#options;
    if (wire.cancel === undefined) throw new UsageError("UNSUPPORTED", "The server says that it cannot cancel tasks.");
    if (this.isOver) return;
    try {
      await wire.cancel(this.id, {});
      this.#isCancelled = true;
    } catch (error) {
      // The task has ended meanwhile, or is not there any more: looking tells.
      if (!isInvalid(error)) throw error;
    }
    this.#poke();
  }

  /** Waits no longer. The task goes on. */
  detach(): void {
    const message = `Nobody waits for the task ${this.id} any more: \`detach()\` was called.`;
    this.#stop.abort(new TaskError("DETACHED", message));
  }

  async #drive(): Promise<object> {
    for (;;) {
      if (this.#early !== undefined) return this.#early;
      if (this.#isRead && isOver(this.#state)) return this.#outcome();
      if (this.#isRead) this.#handleInput();
      this.#expectInTime();
      await this.#pause();
      if (this.#early === undefined && !this.#hasNews) await this.#tryLook();
      this.#hasNews = false;
      void this.#listen();
    }
  }

  /** The result of a task that has ended. Throws its error. */
  async #outcome(): Promise<object> {
    const { wire } = this.#options;
    const { result, error, state } = this.#snapshot;
    if (state.status === "cancelled") throw this.#cancelled();
    if (wire.result === undefined) {
      if (result !== undefined) return result;
      throw new RpcError(error!.code, error!.message, {
        data: error!.data,
        method: this.#options.request?.method ?? "",
      });
    }
    // In 2025-11-25, a failed task has a result as well: it says what the tool could not do.
    // It may also be an error, whatever its code. Only an error of the transport is certainly not that of the call.
    const isAnswer = (failure: unknown): boolean =>
      failure instanceof RpcError && failure.refusal?.isTemporary !== true;
    return this.#insist(() => wire.result!(this.id, this.#requestOptions), isAnswer);
  }

  #handleInput(): void {
    if (this.#state.status !== "input_required") {
      this.#questions.settled();
      return;
    }
    const { questions } = this.#snapshot;
    try {
      if (questions !== undefined) this.#questions.take(questions);
      else this.#waiting ??= this.#waitForResult();
    } catch (error) {
      this.#isUnwanted = true;
      throw error;
    }
  }

  /** Waits for the result while the server asks for input: it asks over this request (2025-11-25, "Input Required Status"). */
  async #waitForResult(): Promise<void> {
    try {
      const endless = { ...this.#requestOptions, timeout: Infinity, maxTimeout: Infinity };
      this.#early = await this.#options.wire.result!(this.id, endless);
      this.#poke();
    } catch {
      // The state of the task says whether this was its error, or that of the request.
      this.#waiting = undefined;
    }
  }

  /** Sends answers, until they have arrived: the server ignores those that it has. */
  async #send(answers: InputResponses): Promise<void> {
    const send = (): Promise<void> => this.#options.wire.answer!(this.id, answers, this.#requestOptions);
    try {
      await this.#insist(send, () => false);
    } catch (error) {
      // It may be that the task is not there any more, which is said in the same words.
      if (isInvalid(error)) await this.#look();
      throw error;
    }
    this.#poke();
  }

  /** Repeats a request until there is an answer to it. */
  async #insist<T>(request: () => Promise<T>, isAnswer: (error: unknown) => boolean): Promise<T> {
    const failures = new Failures(this.#options.maxSilence);
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (isAnswer(error)) throw error;
        await wait(failures.delayAfter(error), this.#stop.signal);
      }
    }
  }

  async #tryLook(): Promise<void> {
    try {
      await this.#look();
      this.#failures.clear();
      this.#backoff = undefined;
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#expectInTime();
      this.#backoff = this.#failures.delayAfter(error);
    }
  }

  /** Reads the task. Several who want that at the same time share one request. */
  #look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #read(): Promise<void> {
    this.#lastLook = Date.now();
    this.#isStale = false;
    try {
      this.#take(await this.#options.wire.read(this.id, this.#requestOptions));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Explains why a task could not be read. */
  #explain(error: unknown): unknown {
    if (isInvalid(error)) {
      if (this.#isCancelled) return this.#cancelled();
      if (this.#isOverdue) return this.#expired();
      return new TaskError("LOST", `The server does not know the task ${this.id} (any more).`, { cause: error });
    }
    // A server that says nonsense about a task is of no use for it.
    if ((error as Partial<Error>).name === "ProtocolViolation") this.#isUnwanted = true;
    return error;
  }

  /** Takes a snapshot. An end is an end, and news that are older than what is known are none. */
  #take(snapshot: TaskSnapshot): void {
    if (this.#isRead && (isOver(this.#state) || isOlder(snapshot.state, this.#state))) return;
    // A task that is resumed may be older than it seemed.
    if (!this.#isRead) this.#since = Math.min(this.#since, Date.now() - ageOf(snapshot.state));
    this.#snapshot = snapshot;
    this.#isRead = true;
    if (isSameState(this.#state, snapshot.state)) return;
    this.#state = snapshot.state;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Throws if the task takes longer than the server keeps it, and has been looked at since. */
  #expectInTime(): void {
    if (!this.#isOverdue || this.#lastLook < this.#end) return;
    this.#isUnwanted = true;
    throw this.#expired();
  }

  /** When the server may forget the task, by the clock of this machine. */
  get #end(): number {
    return this.#since + (this.#state.ttl ?? Infinity);
  }

  get #isOverdue(): boolean {
    return Date.now() >= this.#end;
  }

  /** Waits until it is time to look again, or until something may have changed. */
  async #pause(): Promise<void> {
    const { signal } = this.#stop;
    const untilEnd = Math.max(this.#end - Date.now(), 0) + SHORTEST_PAUSE;
    // News do not shorten the wait after a failure: a server that is down is not asked more often for that.
    if (this.#backoff !== undefined) return wait(Math.min(this.#backoff, untilEnd), signal);
    if (!this.#isStale && !this.#hasNews) {
      const interval = intervalOf(this.#snapshot.pollInterval, this.#subscription !== undefined);
      const wake = new AbortController();
      const unfollow = follow(signal, wake);
      this.#wake = wake;
      await wait(Math.min(interval, untilEnd), wake.signal).catch(() => undefined);
      this.#wake = undefined;
      unfollow?.();
      signal.throwIfAborted();
    }
    const sinceLook = Date.now() - this.#lastLook;
    // A server that announces changes all the time is not asked all the time.
    if (this.#isStale && sinceLook < SHORTEST_PAUSE) await wait(SHORTEST_PAUSE - sinceLook, signal);
  }

  /** Something may have changed. */
  #poke(): void {
    this.#isStale = true;
    this.#wake?.abort();
  }

  /** Asks the server to announce changes, once it is clear that the task takes longer than a moment. */
  async #listen(): Promise<void> {
    const { wire, announcements } = this.#options;
    if (this.#hasListened || wire.announced === undefined || isOver(this.#state) || this.isOver) return;
    this.#hasListened = true;
    const subscription = await announcements.listen({
      id: this.id,
      signal: this.#stop.signal,
      announced: (params) => this.#announced(params),
      changed: () => this.#poke(),
    });
    if (subscription === undefined) return;
    this.#subscription = subscription;
    if (this.isOver) subscription.close();
    // Between the last look and the agreement, something may have changed.
    this.#poke();
    await subscription.closed;
    this.#subscription = undefined;
    if (!this.isOver) this.#poke();
  }

  #announced(params: unknown): void {
    try {
      const snapshot = this.#options.wire.announced?.(params, this.id);
      if (snapshot === undefined) return;
      this.#take(snapshot);
      this.#hasNews = true;
    } catch {
      // What was announced makes no sense. The server says more when it is asked.
      this.#isStale = true;
    }
    this.#wake?.abort();
  }

  /** Gives up on the task, because it cannot be completed. */
  #giveUp(error: unknown): void {
    if (this.isOver) return;
    this.#isUnwanted ||= !(error instanceof TaskError);
    this.#stop.abort(error);
  }

  #cancelQuietly(): void {
    const { wire, client } = this.#options;
    wire.cancel?.(this.id, {}).catch((error: unknown) => {
      client.diagnose({ level: "debug", message: `The task ${this.id} could not be cancelled.`, error });
    });
  }

  #cancelled(): TaskError {
    const { message } = this.#state;
    const words = message === undefined ? "" : ` The server says: ${message}`;
    return new TaskError("CANCELLED", `The task ${this.id} was cancelled.${words}`);
  }

  #expired(): TaskError {
    return new TaskError(
      "EXPIRED",
      `The task ${this.id} took longer than the ${this.#state.ttl} ms that the server keeps it.`,
    );
  }

  get #requestOptions(): RequestOptions {
    return { signal: this.#stop.signal };
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

/** Whether a server says that there is no such task, or that the parameters are wrong otherwise. */
function isInvalid(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.InvalidParams && error.refusal?.isTemporary !== true;
}
