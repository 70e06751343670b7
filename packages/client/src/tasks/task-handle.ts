/// <reference lib="esnext.disposable" preserve="true" />
import { untilAborted } from "../waiting.ts";
import type { TaskDriver } from "./task-driver.ts";
import { isOver, type TaskState } from "./task-snapshot.ts";
import type { TaskRef } from "./task-ref.ts";

/**
 * A call that may take long: its state, and in the end its result. It goes on whether or not anybody looks. It is no promise: await
 * {@link TaskHandle.result}.
 */
export interface TaskHandle<Result> extends AsyncIterable<TaskState> {
  /** The id of the task. `undefined` if the server has answered at once. */
  readonly id: string | undefined;
  /** What another process needs to go on: JSON, to be kept as a secret is. `undefined` if the server has answered at once. */
  readonly ref: TaskRef | undefined;
  /** The state as it was last seen. */
  readonly state: TaskState;
  /** Asks the server for the state, now. */
  refresh(): Promise<TaskState>;
  /**
   * Resolves to the result of the call, checked like that of any other. Rejects with the `RpcError` of a call that failed, or with a
   * {@link TaskError}. With a signal, waiting can be given up; the task is not cancelled by that.
   */
  result(options?: { readonly signal?: AbortSignal | undefined }): Promise<Result>;
  /** Asks the server to cancel the task, and resolves when the server has heard. The task may be completed all the same. */
  cancel(): Promise<void>;
  /** Stops looking at the task, which goes on. {@link TaskHandle.result} then rejects with `DETACHED`. */
  detach(): void;
  /** The same as {@link TaskHandle.detach}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The state of a call that was answered at once. */
const DONE: TaskState = {
  status: "completed",
  message: undefined,
  createdAt: undefined,
  updatedAt: undefined,
  ttl: null,
};

/** The handle of a call that was answered at once. */
export function settledHandle(result: object): TaskHandle<object> {
  return {
    id: undefined,
    ref: undefined,
    state: DONE,
    refresh: async () => DONE,
    result: async ({ signal } = {}) => untilAborted(Promise.resolve(result), signal),
    cancel: async () => {},
    detach() {},
    async *[Symbol.asyncIterator]() {
      yield DONE;
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** The handle of a task that a driver waits for. */
export class DrivenHandle implements TaskHandle<object> {
  readonly #outcome: Promise<object>;
  readonly #refer: (driver: TaskDriver) => TaskRef;
  #driver: TaskDriver;

  /** `outcome` is the result of the call after all checks and middleware. */
  constructor(driver: TaskDriver, outcome: Promise<object>, refer: (driver: TaskDriver) => TaskRef) {
    this.#driver = driver;
    this.#outcome = outcome;
    this.#refer = refer;
    // Nobody need ask for the result.
    outcome.catch(() => undefined);
  }

  /** Goes on with another task: middleware has sent the call again. */
  follow(driver: TaskDriver): void {
    this.#driver = driver;
  }

  get id(): string {
    return this.#driver.id;
  }

  get ref(): TaskRef {
    return this.#refer(this.#driver);
  }

  get state(): TaskState {
    return this.#driver.state;
  }

  refresh(): Promise<TaskState> {
    return this.#driver.refresh();
  }

  async result({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<object> {
    return untilAborted(this.#outcome, signal);
  }

  cancel(): Promise<void> {
    return this.#driver.cancel();
  }

  detach(): void {
    this.#driver.detach();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TaskState, void, undefined> {
    let last: TaskState | undefined;
    for (;;) {
      const driver = this.#driver;
      const { state } = driver;
      if (state !== last) {
        last = state;
        yield state;
      } else if (driver.isOver || isOver(state)) {
        if (driver === this.#driver) return;
      } else await driver.nextChange();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.detach();
  }
}
