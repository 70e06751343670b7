import type { Context, RequestCall } from "@toolwire/server";
import type { TaskContext } from "@toolwire/server/tasks";
import { log } from "./log.ts";
import type { PipelineHost } from "./policy.ts";
import type { RunningCall } from "./running-call.ts";

/** The longest time that a task is kept: after that, nobody can answer its questions any more. */
const LONGEST_WAIT = 86_400_000;

interface WaitingCall {
  readonly call: RunningCall;
  readonly request: RequestCall;
}

/**
 * Calls that are tasks, and wait for an answer to a question. Their handler has ended, and runs again when there is an answer: all runs
 * are one call, and get one record.
 */
export class WaitingCalls {
  readonly #host: PipelineHost;
  /** By the id of the task, the one that waits for longest first. */
  readonly #calls = new Map<string, WaitingCall>();

  constructor(host: PipelineHost) {
    this.#host = host;
  }

  /** Keeps a call that has ended by asking something. Returns whether it has. */
  keep(call: RunningCall, request: RequestCall, result: object): boolean {
    const id = taskIdOf(call.context);
    const { resultType } = result as { readonly resultType?: unknown };
    if (id === undefined || !request.isDetached || resultType !== "input_required") return false;
    const earlier = this.#calls.get(id);
    if (earlier !== undefined) call.goOnFrom(earlier.call);
    this.#calls.delete(id);
    this.#calls.set(id, { call, request });
    this.#dropOld();
    return true;
  }

  /** Makes a call that went on and has ended now one with its earlier runs. Returns whether it still needs a record. */
  join(call: RunningCall): boolean {
    const id = taskIdOf(call.context);
    if (id === undefined) return true;
    const earlier = this.#calls.get(id);
    if (earlier === undefined) return false;
    this.#calls.delete(id);
    call.goOnFrom(earlier.call);
    return true;
  }

  /** Its caller has cancelled a task. If it waits, that is the end of the call. */
  cancelled(id: string): void {
    this.#end(id, "cancelled", "The caller cancelled the call.");
  }

  /** Ends all: their tasks end with the gateway. */
  close(): void {
    for (const id of this.#calls.keys()) this.#end(id, "cancelled", "The gateway ended.");
  }

  #dropOld(): void {
    const oldest = Date.now() - LONGEST_WAIT;
    for (const [id, { call }] of this.#calls) {
      if (call.at < oldest) this.#end(id, "timed-out", "Nobody answered the questions of the task.");
    }
  }

  #end(id: string, outcome: "cancelled" | "timed-out", reason: string): void {
    const waiting = this.#calls.get(id);
    if (waiting === undefined) return;
    this.#calls.delete(id);
    waiting.call.outcome = outcome;
    log(waiting.call, waiting.request, this.#host, { error: new Error(reason) });
  }
}

/** The id of the task that a call is; in a server without tasks, no call is one. */
function taskIdOf(ctx: Context): string | undefined {
  return (ctx as { readonly task?: TaskContext }).task?.id;
}
