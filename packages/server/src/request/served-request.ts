import {
  eraOf,
  LOGGING_LEVELS,
  RpcError,
  toErrorResponse,
  type ClientCapabilities,
  type Era,
  type Exchange,
  type Implementation,
  type InputRequiredResult,
  type LoggingLevel,
  type ProgressParams,
  type ProgressToken,
  type Reply,
  type RequestId,
  type RequestMessage,
  type RequestMeta,
  type RetryParams,
  type Revision,
  type Tool,
} from "@toolwire/protocol";
import { isId, type PerRequestMeta } from "@toolwire/protocol/internal";
import type { Definition } from "../define/options.ts";
import type * as askingModule from "../input/asking.ts";
import type { Questions } from "../input/questions.ts";
import { findLegacyEra } from "../legacy/era.ts";
import type { Session } from "../legacy/session.ts";
import type { RequestCall } from "../middleware/middleware.ts";
import type { Shows } from "../registry/shown-entries.ts";
import type { Origin, Principal, SuspendableReply } from "../binding.ts";
import { sendIfPossible } from "../subscriptions/subscriptions.ts";
import type { Context } from "./context.ts";
import { explain } from "./errors.ts";
import { isThenable } from "./thenable.ts";

/**
 * One request, from its arrival to its answer: what handlers know as their context, what middleware knows as the call,
 * and what the binding cancels. One object for all three, and nothing in it made before somebody asks, because most
 * requests are answered at once.
 *
 * What handlers may take out of the context are getters that return bound functions, so that destructuring works and
 * costs nothing unless it is used.
 */
export class ServedRequest implements Context, RequestCall, Exchange {
  readonly definition: Definition;
  request: RequestMessage;
  readonly reply: Reply;
  readonly origin: Origin;
  readonly revision: Revision;
  /** What a modern request says about itself. */
  perRequest: PerRequestMeta | undefined;
  /** The session of a legacy request; plain requests have none. */
  readonly session: Session | undefined;
  tool: Tool | undefined;
  /** Whether the caller may see an item of the list that it asks for; `undefined` if all callers see the same. */
  shows: Shows | undefined;
  /** The parameters of a request that may ask its client something, as its handler got them. */
  target: RetryParams | undefined;

  #controller: AbortController | undefined;
  #abortReason: unknown;
  #isOver = false;
  #isCancelled = false;
  /** How many parts of the work run: the whole, and what each layer of middleware has called for. */
  #running = 0;
  #leave: (() => void) | undefined;
  /** Tells the binding that nothing runs any more, if it was told that something does. */
  #settle: (() => void) | undefined;
  #asking: Promise<Asking> | undefined;
  #questions: Questions | undefined;
  #lastProgress = -Infinity;
  #isBackedUp = false;

  constructor(
    definition: Definition,
    request: RequestMessage,
    reply: Reply,
    origin: Origin,
    revision: Revision,
    perRequest: PerRequestMeta | undefined,
    session: Session | undefined,
  ) {
    this.definition = definition;
    this.request = request;
    this.reply = reply;
    this.origin = origin;
    this.revision = revision;
    this.perRequest = perRequest;
    this.session = session;
  }

  // What is known about the request.

  get method(): string {
    return this.request.method;
  }

  get params(): object | undefined {
    return this.request.params;
  }

  get context(): Context {
    return this;
  }

  get requestId(): RequestId {
    return this.request.id;
  }

  get era(): Era {
    return eraOf(this.revision);
  }

  get principal(): Principal | undefined {
    return this.origin.principal;
  }

  get clientInfo(): Implementation | undefined {
    return (this.perRequest ?? this.session)?.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return (this.perRequest ?? this.session)?.clientCapabilities ?? {};
  }

  get _meta(): RequestMeta {
    return (this.params as { _meta?: RequestMeta } | undefined)?._meta ?? {};
  }

  get header(): Context["header"] {
    return (name) => this.origin.header?.(name.toLowerCase());
  }

  /** Forgets all that the client has sent, except how it calls itself: for requests that stay open, whatever was in them. */
  forgetParams(): void {
    const { id, method } = this.request;
    this.request = { jsonrpc: "2.0", id, method };
    if (this.perRequest === undefined) return;
    const { clientInfo } = this.perRequest;
    this.perRequest = {
      ...this.perRequest,
      clientCapabilities: {},
      clientInfo: clientInfo && { name: clientInfo.name, version: clientInfo.version },
    };
  }

  // How it ends.

  /** Whether it was answered or cancelled, so that nothing more may be sent for it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the client has given up on it. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** The client has given up on it. */
  cancel(reason?: string): void {
    if (this.#isOver) return;
    this.#isOver = this.#isCancelled = true;
    // The client chose the words, so they are quoted and cut.
    const quoted = JSON.stringify(reason?.slice(0, 200));
    this.definition.diagnose({ level: "debug", message: `${this.method} was cancelled: ${quoted}.` });
    this.#reportRunning();
    this.abort(new DOMException(reason ?? "The request was cancelled.", "AbortError"));
  }

  abort(reason: unknown): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }

  /** Throws why nobody wants the work any more, if so. To be asked before anything begins that has effects. */
  expectWanted(): void {
    if (this.#isOver || this.#abortReason !== undefined) throw this.signal.reason ?? new Error("The request is over.");
  }

  /** A part of the work begins. */
  enter(): void {
    this.#running += 1;
  }

  /** A part of the work has ended. */
  leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#settle?.();
  }

  /** Counts a part of the work until it has settled: middleware may answer without waiting for it. */
  track<T>(part: T | PromiseLike<T>): Promise<T> {
    const promise = Promise.resolve(part);
    if (isThenable(part)) {
      this.enter();
      const ended = (this.#leave ??= () => this.leave());
      promise.then(ended, ended);
    }
    return promise;
  }

  /** Tells the binding if the work outlives the request, so that its place stays taken. */
  #reportRunning(): void {
    if (this.#running === 0 || this.#settle !== undefined) return;
    this.reply.busyUntil?.(
      new Promise((resolve) => {
        this.#settle = resolve;
      }),
    );
  }

  /** Sends the result, unless the request is over. A result that is no JSON is an error like any other. */
  succeed(result: object): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#questions?.end?.();
    this.#reportRunning();
    try {
      this.reply.respond({ jsonrpc: "2.0", id: this.request.id, result });
    } catch (error) {
      this.#isOver = false;
      this.fail(error);
    }
  }

  /** Sends an error, unless the request is over. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    const { id } = this.request;
    const known = explain(this, error);
    this.#isOver = true;
    this.#questions?.end?.();
    this.#reportRunning();
    try {
      this.reply.respond(toErrorResponse(id, known));
    } catch {
      // Its `data` is no JSON, which is the least of what there is to say.
      this.reply.respond(toErrorResponse(id, new RpcError(known.code, known.message)));
    }
  }

  // What handlers can do.

  get progress(): Context["progress"] {
    return (progress, total, message) => {
      const progressToken = this.#progressToken();
      // It must increase with each notification (progress page), which NaN never does.
      if (progressToken === undefined || !Number.isFinite(progress) || progress <= this.#lastProgress) return;
      this.#lastProgress = progress;
      const params: ProgressParams = {
        progressToken,
        progress,
        ...(Number.isFinite(total) && { total }),
        ...(message !== undefined && { message }),
      };
      const translate =
        this.perRequest === undefined
          ? findLegacyEra()?.translatorFor(this.revision).notification("notifications/progress")
          : undefined;
      this.#send("notifications/progress", translate === undefined ? params : translate(params));
    };
  }

  get log(): Context["log"] {
    return (level, data, logger) => {
      if (!this.#wantsLog(level)) return;
      this.#send(LOG_MESSAGE, { level, ...(logger !== undefined && { logger }), data: data ?? null });
    };
  }

  get notify(): Context["notify"] {
    return (message) => leave(this.#notify(message));
  }

  get elicit(): Context["elicit"] {
    return this.#question("elicit") as Context["elicit"];
  }

  get tryElicit(): Context["tryElicit"] {
    return this.#question("tryElicit") as Context["tryElicit"];
  }

  get sample(): Context["sample"] {
    return this.#question("sample") as Context["sample"];
  }

  get roots(): Context["roots"] {
    return this.#question("listRoots") as Context["roots"];
  }

  get once(): Context["once"] {
    return (key, work) => this.#ask((_asking, questions) => questions.once(key, work));
  }

  get suspendStream(): Context["suspendStream"] {
    return (retryDelay) => {
      if (!this.#isOver) (this.reply as Partial<SuspendableReply>).suspend?.(retryDelay);
    };
  }

  // How it asks its client.

  /** Takes up the answers that came with the request. */
  resume(params: RetryParams): Promise<void> {
    return this.#ask((_asking, questions) => questions.resume(params));
  }

  /** The interim answer, if the handler has asked something that only the next round can answer. */
  interim(): Promise<InputRequiredResult | undefined> | undefined {
    return this.#asking?.then(() => this.#questions?.interim());
  }

  #question(kind: "elicit" | "tryElicit" | "sample" | "listRoots"): (key: string, question: never) => Promise<unknown> {
    return (key, question) => this.#ask<unknown>((asking, questions) => asking[kind](this, questions, key, question));
  }

  #ask<T>(work: (asking: Asking, questions: Questions) => Promise<T>): Promise<T> {
    this.#asking ??= loadAsking();
    // Of a question that nobody awaits, the interim answer reaches the client all the same.
    return leave(
      this.#asking.then((asking) => {
        asking.expectAskable(this);
        this.#questions ??= asking.createQuestions(this);
        return work(asking, this.#questions);
      }),
    );
  }

  async #notify({ method, params }: Parameters<Context["notify"]>[0]): Promise<void> {
    // Log messages have to be wanted, whichever way they are sent (logging page).
    if (this.#isOver || (method === LOG_MESSAGE && !this.#wantsLog((params as LogParams)?.level))) return;
    await this.reply.notify({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  #progressToken(): ProgressToken | undefined {
    if (this.perRequest !== undefined) return this.perRequest.progressToken;
    // What is no token would have been refused in the modern era; here it asks for nothing.
    const { progressToken } = this._meta;
    return isId(progressToken) ? progressToken : undefined;
  }

  /** Plain requests get no log messages: whoever sends one expects one answer and nothing else. */
  #logLevel(): LoggingLevel | undefined {
    if (!this.definition.hasLogging) return undefined;
    return this.perRequest === undefined ? this.session?.logLevel : this.perRequest.logLevel;
  }

  /** What is no level is below all of them. */
  #wantsLog(level: LoggingLevel | undefined): boolean {
    const wanted = this.#logLevel();
    const levels: readonly unknown[] = LOGGING_LEVELS;
    return wanted !== undefined && levels.indexOf(level) >= levels.indexOf(wanted);
  }

  /** Sends what may be lost: while the client reads too slowly, it is left out rather than queued. */
  #send(method: string, params: object): void {
    if (this.#isOver || this.#isBackedUp) return;
    const slow = sendIfPossible(() => this.reply.notify({ jsonrpc: "2.0", method, params }));
    if (slow === undefined) return;
    this.#isBackedUp = true;
    void slow.then(() => {
      this.#isBackedUp = false;
    });
  }
}

/** Leaves it to handlers whether they await something: what fails while nobody does must not end the process. */
function leave<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

type LogParams = { readonly level: LoggingLevel } | undefined;

const LOG_MESSAGE = "notifications/message";

type Asking = typeof askingModule;

let asking: Promise<Asking> | undefined;

/** One promise for all, so that what is asked together is heard in the same turn. */
function loadAsking(): Promise<Asking> {
  return (asking ??= import("../parts/later.ts"));
}
