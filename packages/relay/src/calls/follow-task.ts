import type { Client } from "@toolwire/client";
import { canonicalJson, isObject } from "@toolwire/protocol/internal";
import { ErrorCode, InputRequired, RpcError, ToolError, TransportError } from "@toolwire/server";
import { askCaller } from "../questions/ask-caller.ts";
import { cleanWords } from "../text/clean.ts";
import { hashText } from "../text/hash.ts";
import { readTask, readTaskId, type UpstreamTask, violation } from "./read-task.ts";
import type { CallTarget, RelayedRequest } from "./target.ts";
import { taskOf } from "./task-support.ts";

/** How many questions a task may ask in its life. */
const MAX_QUESTIONS = 100;

/** How often it may say that it waits for input when every question was answered. */
const MAX_IDLE_LOOKS = 60;

/**
 * Waits for the result of a task of a modern upstream. The caller gets a task of ours in its place, if it knows tasks, and waits
 * otherwise. Questions are those of the caller's call: if it runs again for an answer, it goes on with the same task of the upstream.
 */
export async function followTask(target: CallTarget, request: RelayedRequest, created: object): Promise<object> {
  const follower = new Follower(target, request, readTaskId(created, target.clear));
  return follower.run();
}

class Follower {
  readonly #target: CallTarget;
  readonly #request: RelayedRequest;
  readonly #id: string;
  readonly #start = performance.now();
  /** Every question that was put to the caller in this run. */
  readonly #seen = new Set<string>();
  #idleLooks = 0;
  #lastAnswer = performance.now();
  /** Whether the upstream has said that the task is over, or not there. */
  #isOver = false;

  constructor(target: CallTarget, request: RelayedRequest, id: string) {
    this.#target = target;
    this.#request = request;
    this.#id = id;
  }

  async run(): Promise<object> {
    const { waiting } = this.#target;
    const task = taskOf(this.#request.ctx);
    try {
      await task?.begin();
      if (task?.id !== undefined) waiting.delete(task.id);
      return await this.#follow();
    } catch (error) {
      const isWaiting = error instanceof InputRequired;
      if (isWaiting && task?.id !== undefined) waiting.add(task.id, () => this.#cancel());
      if (!isWaiting && !this.#isOver) this.#cancel();
      throw error;
    }
  }

  async #follow(): Promise<object> {
    const { ctx, known } = this.#request;
    const { clear, maxTimeout, upstream } = this.#target;
    for (;;) {
      const task = await this.#look();
      if (task !== undefined) {
        this.#isOver = task.status === "completed" || task.status === "failed" || task.status === "cancelled";
        if (this.#isOver) return outcomeOf(task, upstream);
        const message = clear(task.message, known);
        if (typeof message === "string") taskOf(ctx)?.say(cleanWords(message) ?? "");
        if (task.status === "input_required" && (await this.#answer(task))) continue;
      }
      // A caller that has a task waits as long as that is kept.
      const isLate = taskOf(ctx)?.id === undefined && performance.now() - this.#start > maxTimeout;
      if (isLate) throw new ToolError(`Error: Upstream ${upstream} did not end its task within ${maxTimeout / 1000} s`);
      await pause(task?.interval ?? 1000, ctx.signal);
    }
  }

  /** Looks at the task. `undefined` if the upstream could not be reached, and may be so later. */
  async #look(): Promise<UpstreamTask | undefined> {
    const { upstream, timeout } = this.#target;
    try {
      const task = readTask(await this.#send("tasks/get", {}), this.#id);
      this.#lastAnswer = performance.now();
      return task;
    } catch (error) {
      this.#request.ctx.signal.throwIfAborted();
      if (isUnknown(error)) {
        this.#isOver = true;
        const message = `Error: Upstream ${upstream} does not know its task any more; whether the call took effect is unknown`;
        throw new ToolError(message, { cause: error });
      }
      if (!isPassing(error)) throw error;
      if (performance.now() - this.#lastAnswer < timeout) return undefined;
      const message = `Error: Upstream ${upstream} was lost before its task ended; whether the call took effect is unknown`;
      throw new ToolError(message, { cause: error });
    }
  }

  /** Has the caller answer what is open. Resolves to whether anything was sent. */
  async #answer({ questions }: UpstreamTask): Promise<boolean> {
    const { ctx, known } = this.#request;
    const { clear } = this.#target;
    const fresh = Object.entries(questions)
      // By what is asked as well: a different question is never answered with the answer to another.
      .map(([key, question]) => [key, question, hashText(canonicalJson([key, question])).slice(0, 24)] as const)
      .filter(([, , hash]) => !this.#seen.has(hash));
    for (const [, , hash] of fresh) this.#seen.add(hash);
    if (this.#seen.size > MAX_QUESTIONS) {
      throw new ToolError(`The server behind this tool asked more than ${MAX_QUESTIONS} questions.`);
    }
    if (fresh.length === 0) {
      this.#idleLooks += 1;
      if (this.#idleLooks > MAX_IDLE_LOOKS) throw violation("it waits for input, but all its questions were answered");
      return false;
    }
    this.#idleLooks = 0;
    const asked = fresh.map(async ([key, question, hash]) => {
      const { method, params } = isObject(question) ? question : {};
      return [key, await askCaller(ctx, `upstream task ${hash}`, method, clear(params, known))] as const;
    });
    const inputResponses = Object.fromEntries(await Promise.all(asked));
    known.push(inputResponses);
    await this.#send("tasks/update", { inputResponses });
    return true;
  }

  #cancel(): void {
    const failed = (error: unknown): void => this.#target.report("A task could not be cancelled", error);
    this.#connect()
      .then((client) => client.request("tasks/cancel", { taskId: this.#id }, { timeout: this.#target.timeout }))
      .catch(failed);
  }

  async #send(method: string, params: object): Promise<object> {
    const { timeout } = this.#target;
    const client = await this.#connect();
    // Some servers repeat the type of the result that the call had.
    const options = { signal: this.#request.ctx.signal, timeout, resultTypes: ["task"] };
    return client.request(method, { taskId: this.#id, ...params }, options);
  }

  /** The connection that there is now: the task does not depend on the one over which it was made. */
  async #connect(): Promise<Client> {
    const { shared } = this.#target.connections;
    return shared.client ?? (await shared.open());
  }
}

/** The result of a task that is over. Throws its error. */
function outcomeOf({ status, result, error }: UpstreamTask, upstream: string): object {
  if (status === "completed") {
    if (Array.isArray(result["content"])) return result;
    throw violation("the result of a tool must have `content`");
  }
  if (status === "cancelled") throw new ToolError(`Error: Upstream ${upstream} has cancelled its task`);
  const { code, message, data } = error;
  if (typeof code !== "number" || typeof message !== "string") throw violation("the error has no code or message");
  throw new RpcError(code, message, { data });
}

/** Whether an upstream says that there is no such task. */
function isUnknown(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.InvalidParams && error.refusal?.isTemporary !== true;
}

/** Whether a failure says nothing about the task: a broken line, a busy server. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return true;
  return error instanceof RpcError && (error.refusal?.isTemporary === true || error.code === ErrorCode.InternalError);
}

function pause(delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, delay);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
