import { ErrorCode, type InputResponses, RpcError, UsageError } from "@toolwire/protocol";
import type { RequestOptions } from "../call-options.ts";
import type { ExtensionClient, ExtensionSubscription, QuestionContext } from "../extensions/extension.ts";
import { follow, untilAborted, wait } from "../waiting.ts";
import { Alarm } from "./alarm.ts";
import type { AnnouncedTask, Announcements } from "./announcements.ts";
import { KnownTask } from "./known-task.ts";
import { Failures, intervalOf, isPassing } from "./pace.ts";
import { TaskQuestions } from "./questions.ts";
import { cancelledTask, expiredTask, lostTask, TaskError } from "./task-error.ts";
import type { TaskSnapshot, TaskState } from "./task-snapshot.ts";
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

/** A task that is looked at more seldom than this is listened to from the beginning, and not only when it takes a while. */
const LONG_INTERVAL = 2_000;

/** How long after its end a task is looked at for the last time. */
const LAST_LOOK = 50;

/** Waits for the end of one task: looks at it again and again, and has its questions answered. */
export class TaskDriver {
  readonly #options: TaskDriverOptions;
  readonly #task: KnownTask;
  /** Aborted when the task is over, or nobody waits for it any more. */
  readonly #stop = new AbortController();
  readonly #alarm: Alarm;
  readonly #questions: TaskQuestions;
  readonly #failures: Failures;
  #looking: Promise<void> | undefined;
  #subscription: ExtensionSubscription | undefined;
  #hasListened = false;
  /** The request that waits for the result of a task that waits for input (2025-11-25). */
  #waiting: Promise<void> | undefined;
  /** The result of that request. */
  #early: object | undefined;
  /** Whether the server has agreed to cancel it. */
  #isCancelled = false;
  /** Whether the task is of no more use to anybody here, so that the server need not go on. */
  #isUnwanted = false;

  constructor(options: TaskDriverOptions) {
    const { first, client, request, maxQuestions, maxSilence } = options;
    this.#options = options;
    this.#task = new KnownTask(first);
    this.#alarm = new Alarm(this.#stop.signal);
    if (first.state.status !== "working") this.#alarm.ring();
    this.#failures = new Failures(maxSilence);
    this.#questions = new TaskQuestions({
      client,
      context: { request, signal: this.#stop.signal },
      most: maxQuestions,
      send: (answers) => this.#send(answers),
      failed: (error) => this.#giveUp(error),
    });
  }

  get id(): string {
    return this.#task.id;
  }

  get state(): TaskState {
    return this.#task.state;
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
    const deafen = announcements.hear(this.#announced);
    try {
      return await untilAborted(this.#drive(), this.#stop.signal);
    } catch (error) {
      const isAborted = signal?.aborted === true && !client.over.aborted && !this.#task.isOver;
      if (this.#isUnwanted || isAborted) this.#cancelQuietly();
      throw error;
    } finally {
      for (const forget of unfollow) forget?.();
      deafen();
      this.detach();
      this.#subscription?.close();
      this.#task.tell();
    }
  }

  /** Resolves when the state has changed, or the task is over. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) resolve();
      else this.#task.onChange(resolve);
    });
  }

  /** Looks at the task now. */
  async refresh(): Promise<TaskState> {
    if (this.isOver) return this.state;
    await this.#look();
    this.#alarm.tell();
    return this.state;
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
    this.#alarm.ring();
  }

  /** Waits no longer. The task goes on. */
  detach(): void {
    const message = `Nobody waits for the task ${this.id} any more: \`detach()\` was called.`;
    this.#stop.abort(new TaskError("DETACHED", message));
  }

  async #drive(): Promise<object> {
    for (;;) {
      if (this.#early !== undefined) return this.#early;
      if (this.#task.isRead) {
        if (this.#task.isOver) return this.#outcome();
        this.#handleInput();
      }
      this.#expectInTime();
      void this.#listen();
      const interval = intervalOf(this.#task.snapshot.pollInterval, this.#subscription !== undefined);
      if (await this.#alarm.wait(Math.min(interval, this.#untilEnd))) await this.#tryLook();
    }
  }

  /** The result of a task that has ended. Throws its error. */
  async #outcome(): Promise<object> {
    const { wire, request } = this.#options;
    const { result, error, state } = this.#task.snapshot;
    if (state.status === "cancelled") throw cancelledTask(this.id, state.message);
    if (wire.result === undefined) {
      if (result !== undefined) return result;
      const { code, message, data } = error!;
      throw new RpcError(code, message, { data, method: request?.method });
    }
    // In 2025-11-25, a failed task has a result as well: it says what the tool could not do. It may also be an error, whatever its
    // code. Only an error of the transport is certainly not that of the call.
    const isAnswer = (failure: unknown): boolean =>
      failure instanceof RpcError && failure.refusal?.isTemporary !== true;
    return this.#insist(() => wire.result!(this.id, this.#requestOptions), isAnswer);
  }

  #handleInput(): void {
    if (this.state.status !== "input_required") {
      this.#questions.settled();
      return;
    }
    const { questions } = this.#task.snapshot;
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
      this.#alarm.tell();
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
    this.#alarm.ring();
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

  /** Looks at the task. After a failure, it waits: a server that is down is not asked more often because of what it announced. */
  async #tryLook(): Promise<void> {
    try {
      await this.#look();
      this.#failures.clear();
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#expectInTime();
      await wait(Math.min(this.#failures.delayAfter(error), this.#untilEnd), this.#stop.signal);
      this.#alarm.ring();
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
    this.#alarm.looked();
    try {
      this.#task.take(await this.#options.wire.read(this.id, this.#requestOptions));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Explains why a task could not be read. */
  #explain(error: unknown): unknown {
    if (isInvalid(error)) {
      if (this.#isCancelled) return cancelledTask(this.id, this.state.message);
      return Date.now() < this.#task.end ? lostTask(this.id, error) : expiredTask(this.id, this.state.ttl);
    }
    // A server that says nonsense about a task is of no use for it.
    if ((error as Partial<Error>).name === "ProtocolViolation") this.#isUnwanted = true;
    return error;
  }

  /** Asks the server to announce changes, if the task takes longer than a moment. */
  async #listen(): Promise<void> {
    const { wire, announcements } = this.#options;
    const isLong = this.#task.isRead || intervalOf(this.#task.snapshot.pollInterval, false) > LONG_INTERVAL;
    if (this.#hasListened || wire.announced === undefined || !isLong || this.#task.isOver) return;
    this.#hasListened = true;
    const subscription = await announcements.listen(this.#announced);
    if (subscription === undefined) return;
    this.#subscription = subscription;
    if (this.isOver) subscription.close();
    // Between the last look and the agreement, something may have changed; and nobody tells when the stream has ended.
    this.#alarm.ring();
    await subscription.closed;
    this.#subscription = undefined;
    this.#alarm.ring();
  }

  /** What the server announces about the task. */
  get #announced(): AnnouncedTask {
    return {
      id: this.id,
      signal: this.#stop.signal,
      announced: (params) => {
        try {
          const snapshot = this.#options.wire.announced?.(params, this.id);
          if (snapshot === undefined) return;
          this.#task.take(snapshot);
          this.#alarm.tell();
        } catch {
          // It makes no sense. The server says more when it is asked.
          this.#alarm.ring();
        }
      },
      changed: () => this.#alarm.ring(),
    };
  }

  /** Throws if the task takes longer than the server keeps it, and has been looked at since. */
  #expectInTime(): void {
    const { end } = this.#task;
    if (Date.now() < end || this.#alarm.lastLook < end) return;
    this.#isUnwanted = true;
    throw expiredTask(this.id, this.state.ttl);
  }

  /** The milliseconds until the task is looked at for the last time. */
  get #untilEnd(): number {
    return Math.max(this.#task.end - Date.now(), 0) + LAST_LOOK;
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

  get #requestOptions(): RequestOptions {
    return { signal: this.#stop.signal };
  }
}

/** Whether a server says that there is no such task, or that the parameters are wrong otherwise. */
function isInvalid(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.InvalidParams && error.refusal?.isTemporary !== true;
}
