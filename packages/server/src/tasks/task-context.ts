import type { Context } from "../define/context.ts";
import { createTaskId } from "./body.ts";
import type { TaskRun } from "./task-run.ts";

/** What a handler knows about its task: `ctx.task`. It is there in every call, so that one handler serves all clients. */
export interface TaskContext {
  /** The id of the task; `undefined` as long as the client waits for the result itself. */
  readonly id: string | undefined;
  /** 1, and one more each time that the work begins anew because a process has ended in the middle of it. */
  readonly attempt: number;
  /**
   * Makes the call a task, if the client knows tasks and it is none yet. Questions and steps before that belong to the call. Does
   * nothing but `say` otherwise.
   */
  begin(message?: string): Promise<void>;
  /** Tells people and models what the task is doing. Does nothing in a call that is no task. */
  say(message: string): void;
  /**
   * A text that is the same each time that the task comes to this place, and different for all other tasks: for services that do
   * something once for each such key. In a call that is no task, it is the same for this request only.
   */
  key(name: string): string;
}

/** A call of a tool that may be or become a task. */
export class TaskCallState implements TaskContext {
  #run: TaskRun | undefined;
  /** The id that the task has, or will have: keys begin with it. */
  #reserved: string | undefined;
  /** Makes the call a task, if it can become one. */
  readonly #handOver: ((state: TaskCallState, message: string | undefined) => Promise<void>) | undefined;

  constructor(
    run: TaskRun | undefined,
    handOver?: (state: TaskCallState, message: string | undefined) => Promise<void>,
  ) {
    this.#run = run;
    this.#reserved = run?.id;
    this.#handOver = handOver;
  }

  get id(): string | undefined {
    return this.#run?.id;
  }

  get attempt(): number {
    return this.#run?.attempt ?? 1;
  }

  /** The id for the task that this call becomes. */
  get reserved(): string {
    return (this.#reserved ??= createTaskId());
  }

  get run(): TaskRun | undefined {
    return this.#run;
  }

  /** The call has become a task. */
  becomes(run: TaskRun): void {
    this.#run = run;
  }

  async begin(message?: string): Promise<void> {
    if (this.#run === undefined) await this.#handOver?.(this, message);
    else if (message !== undefined) this.#run.say(message);
  }

  say(message: string): void {
    this.#run?.say(message);
  }

  key(name: string): string {
    return `${this.reserved}:${name}`;
  }
}

const states = new WeakMap<Context, TaskCallState>();

/** Notes what a handler will find in `ctx.task`. */
export function setTask(context: Context, state: TaskCallState): void {
  states.set(context, state);
}

/** The run of the task that a handler works at; `undefined` in a call that is none. */
export function runOf(context: Context): TaskRun | undefined {
  return states.get(context)?.run;
}

/** What a handler finds in `ctx.task`. */
export function taskOf(context: Context): TaskContext {
  let state = states.get(context);
  if (state === undefined) {
    state = new TaskCallState(undefined);
    states.set(context, state);
  }
  return state;
}
