/** The methods of tasks in revision 2025-11-25, where they are a part of the protocol. */
import { type InputRequest, ErrorCode, RpcError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { fromBase64Url, toBase64Url } from "../content/binary.ts";
import type { Context } from "../define/context.ts";
import { type ExtensionMethod, method } from "../define/extension.ts";
import { invalidParams } from "../errors.ts";
import { isOver, type TaskBody } from "./body.ts";
import { settle } from "./changes.ts";
import { describeLegacy, legacyResult, RELATED_TASK } from "./describe-task.ts";
import { idIn, takeAnswers, WITH_ID } from "./extension-methods.ts";
import { callerOf, expectOwn, unknownTask } from "./find-own.ts";
import { LEGACY_TASKS } from "./tool-hooks.ts";
import type { TaskWorker } from "./worker.ts";

/** How many tasks a page of the list has. */
const PAGE = 100;

/** How often `tasks/result` looks for changes that nobody tells it about. */
const LOOK_INTERVAL = 500;

/** Makes the methods of 2025-11-25. */
export function legacyMethods(
  worker: () => TaskWorker,
  hasList: boolean,
): { readonly [method: string]: ExtensionMethod } {
  const common = { revisions: [LEGACY_TASKS], isGated: false, params: WITH_ID };
  return {
    "tasks/get": method({
      ...common,
      handle: async (params, ctx) => describeLegacy(await expectOwn(worker(), idIn(params), ctx)),
    }),
    "tasks/result": method({
      ...common,
      handle: (params, ctx) => new ResultRequest(worker(), idIn(params), ctx).wait(),
    }),
    "tasks/cancel": method({
      ...common,
      handle: (params, ctx) => cancelTask(worker(), idIn(params), ctx),
    }),
    ...(hasList && {
      "tasks/list": method({
        revisions: [LEGACY_TASKS],
        isGated: false,
        params: { type: "object", properties: { cursor: { type: "string" } } },
        handle: (params, ctx) => listTasks(worker(), (params as { readonly cursor?: string }).cursor, ctx),
      }),
    }),
  };
}

async function cancelTask(worker: TaskWorker, id: string, ctx: Context): Promise<object> {
  await expectOwn(worker, id, ctx);
  const cancelled = await worker.cancel(id);
  if (cancelled === undefined) throw unknownTask();
  if (cancelled.isChanged) return describeLegacy(cancelled.task);
  throw invalidParams(`The task cannot be cancelled: it is ${describeLegacy(cancelled.task).status} already.`);
}

async function listTasks(worker: TaskWorker, cursor: string | undefined, ctx: Context): Promise<object> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { tasks, last } = await worker.records.list(callerOf(ctx), after, PAGE);
  const living = tasks.filter((task) => task.ttl === null || task.createdAt + task.ttl > Date.now());
  return { tasks: living.map(describeLegacy), ...(last !== undefined && { nextCursor: writeCursor(last) }) };
}

const PLACE = /^after ([\w-]{1,256})$/;

function writeCursor(id: string): string {
  return toBase64Url(new TextEncoder().encode(`after ${id}`));
}

function readCursor(cursor: string): string {
  const bytes = cursor.length > 512 ? undefined : fromBase64Url(cursor);
  const place = bytes && PLACE.exec(new TextDecoder().decode(bytes))?.[1];
  if (place === undefined) throw invalidParams("Invalid cursor: list again from the start.");
  return place;
}

/** A `tasks/result` while it waits: it asks the client what is open, and tells it what goes on. */
class ResultRequest {
  readonly #worker: TaskWorker;
  readonly #id: string;
  readonly #ctx: Context;
  /** The questions that this request has asked. Another request may ask them again. */
  readonly #asked = new Set<string>();
  #told: string | undefined;
  #wake: () => void = () => {};

  constructor(worker: TaskWorker, id: string, ctx: Context) {
    this.#worker = worker;
    this.#id = id;
    this.#ctx = ctx;
  }

  /** Resolves to the result of the task when it has ended; rejects with its error. */
  async wait(): Promise<object> {
    const first = await expectOwn(this.#worker, this.#id, this.#ctx);
    if (isOver(first)) return outcomeOf(first);
    const { signal } = this.#ctx;
    const wake = (): void => this.#wake();
    const unwatch = this.#worker.records.watch(this.#id, wake);
    const silence = this.#worker.onProgress(this.#id, ({ progress, total, message }) => {
      const { progressToken } = first.call;
      if (progressToken === undefined) return;
      this.#notify("notifications/progress", {
        progressToken,
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
        _meta: this.#related,
      });
    });
    signal.addEventListener("abort", wake);
    try {
      for (;;) {
        // Made before the task is read, so that no change is missed between the two.
        const changed = this.#nextChange();
        const task = await expectOwn(this.#worker, this.#id, this.#ctx);
        signal.throwIfAborted();
        if (isOver(task)) return outcomeOf(task);
        this.#tell(task);
        for (const [key, { request }] of Object.entries(task.open)) this.#ask(key, request);
        await changed;
        signal.throwIfAborted();
      }
    } finally {
      signal.removeEventListener("abort", wake);
      unwatch();
      silence();
    }
  }

  get #related(): object {
    return { [RELATED_TASK]: { taskId: this.#id } };
  }

  /** Resolves when the task may have changed, and after a while in any case: other processes may change it unnoticed. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_INTERVAL);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Tells the client what has changed since the last time. */
  #tell(task: TaskBody): void {
    const described = describeLegacy(task);
    const { status, statusMessage } = described;
    const told = JSON.stringify([status, statusMessage]);
    if (this.#told !== undefined && this.#told !== told) this.#notify("notifications/tasks/status", described);
    this.#told = told;
  }

  #notify(name: string, params: object): void {
    void this.#ctx.notify({ method: name, params }).catch(() => undefined);
  }

  /** Sends an open question to the client as a request that is tied to the task. */
  #ask(key: string, request: InputRequest): void {
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    const { host } = this.#worker;
    host
      .ask(this.#ctx, relate(request, this.#related))
      .then((answer) => takeAnswers(this.#worker, this.#id, { [key]: answer }))
      .catch((error: unknown) => this.#giveUp(key, error))
      .finally(() => this.#wake());
  }

  /** A client that answers with an error will do so again: the call fails, as it does without a task. */
  async #giveUp(key: string, error: unknown): Promise<void> {
    if (!isAnswer(error)) return;
    const { message } = error;
    const result = { content: [{ type: "text" as const, text: message }], isError: true };
    const { records, settings } = this.#worker;
    const end = settle({ kind: "result", result }, Date.now(), settings.keep);
    // Another client may have answered meanwhile.
    const change = (task: TaskBody): TaskBody | undefined => (Object.hasOwn(task.open, key) ? end(task) : undefined);
    await records.change(this.#id, change).catch(() => undefined);
  }
}

/** What the call has come to, as a client gets it that has waited. */
function outcomeOf(task: TaskBody): object {
  const { outcome } = task;
  if (outcome?.kind === "result") return legacyResult(task, outcome.result);
  if (outcome?.kind !== "error") {
    throw new RpcError(ErrorCode.InternalError, "The task was cancelled, so it has no result.");
  }
  const { code, message, data } = outcome.error;
  throw new RpcError(code, message, { data });
}

/** Ties a question to a task. Clients answer visits of pages by an id (2025-11-25, "URL Mode"). */
function relate(request: InputRequest, meta: object): InputRequest {
  const { params } = request;
  const isPage = request.method === "elicitation/create" && request.params.mode === "url";
  const id = isPage && !("elicitationId" in request.params) ? { elicitationId: crypto.randomUUID() } : {};
  return { ...request, params: { ...params, ...id, _meta: { ...params?._meta, ...meta } } } as InputRequest;
}

/** Whether an error is what the client has answered, or the refusal of its answer, and not the end of the request that asked. */
function isAnswer(error: unknown): error is Error {
  if (error instanceof RpcError && error.code === ErrorCode.InvalidParams) return true;
  const { cause } = (isObject(error) ? error : {}) as { readonly cause?: unknown };
  return cause instanceof RpcError;
}
