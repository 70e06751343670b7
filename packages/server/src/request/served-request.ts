import {
  RpcError,
  toErrorResponse,
  UsageError,
  type ClientCapabilities,
  type Exchange,
  type InputRequest,
  type InputRequiredResult,
  type RequestMessage,
  type RetryParams,
  type Revision,
  type Tool,
} from "@toolwire/protocol";
import { callListener, PreparedJson } from "@toolwire/protocol/internal";
import type { GuardedObservation } from "../define/guarded-observer.ts";
import type { AbortListener, Cancellation } from "../define/middleware.ts";
import type { CallJournal, CallOutcome, DetachedRun } from "../define/tool-hooks.ts";
import type { ServerDiagnostic } from "../diagnostics.ts";
import { InsufficientScope, Unavailable } from "../errors.ts";
import { DetachedQuestions } from "../input/detached-questions.ts";
import { expectAskable, type Questions } from "../input/questions.ts";
import type { Origin, Principal, ServerReply } from "../origin.ts";
import type { Definition } from "../registry/definition.ts";
import type { IsShown } from "../registry/pages.ts";
import { RequestContext } from "./context.ts";
import { explainError } from "./errors.ts";
import { contextTypeOf } from "./extended-context.ts";
import type { Identity, RequestEra, Route } from "./request-era.ts";
import { isThenable } from "./thenable.ts";

/**
 * The life of one request: it is answered once or cancelled, and its place stays taken while its work runs. Everything
 * that few requests need is made on first use, because most requests are answered at once.
 */
export class ServedRequest implements Exchange, Cancellation {
  readonly definition: Definition;
  message: RequestMessage;
  readonly reply: ServerReply;
  readonly origin: Origin;
  readonly era: RequestEra;
  identity: Identity;
  readonly route: Route;
  /** The tool that is called, as it is listed. */
  tool: Tool | undefined;
  /** Whether the caller may see an item of the list that it asks for; `undefined` if all callers see the same. */
  isShown: IsShown | undefined;
  /** The scopes that were asked for so far, by the definition that the request names and by its handler. The caller has them. */
  scopes: readonly string[] | undefined;
  /** Sees how the request ends, if anybody does. */
  observation: GuardedObservation | undefined;
  /** The parameters of a request that may ask its client something, as its handler got them. */
  target: RetryParams | undefined;

  #context: RequestContext | undefined;
  #questions: Questions | undefined;
  #controller: AbortController | undefined;
  #abortListeners: AbortListener[] | undefined;
  #abortReason: unknown;
  #isOver = false;
  #isCancelled = false;
  /** Gets the outcome in place of the client, once the request was answered early. */
  #run: DetachedRun | undefined;
  /** How many parts of the work run: the whole, and what each layer of middleware has called for. */
  #running = 0;
  #leave: (() => void) | undefined;
  /** Tells the binding that nothing runs any more, if it was told that something does. */
  #settle: (() => void) | undefined;

  constructor(
    definition: Definition,
    message: RequestMessage,
    reply: ServerReply,
    origin: Origin,
    era: RequestEra,
    identity: Identity,
    route: Route,
  ) {
    this.definition = definition;
    this.message = message;
    this.reply = reply;
    this.origin = origin;
    this.era = era;
    this.identity = identity;
    this.route = route;
  }

  get method(): string {
    return this.message.method;
  }

  get params(): object | undefined {
    return this.message.params;
  }

  get revision(): Revision {
    return this.identity.protocolVersion;
  }

  get principal(): Principal | undefined {
    return this.origin.principal;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.identity.clientCapabilities;
  }

  /** The context that handlers get. */
  get context(): RequestContext {
    return (this.#context ??= this.#createContext());
  }

  #createContext(): RequestContext {
    const { extensions } = this.definition;
    const ContextType = extensions === undefined ? RequestContext : contextTypeOf(extensions);
    return new ContextType(this);
  }

  /** Drops all that the client has sent, except its name and version: for requests that stay open for long. */
  forgetParams(): void {
    const { id, method } = this.message;
    this.message = { jsonrpc: "2.0", id, method };
    const { protocolVersion, clientInfo, logLevel, progressToken } = this.identity;
    this.identity = {
      protocolVersion,
      clientCapabilities: {},
      clientInfo: clientInfo && { name: clientInfo.name, version: clientInfo.version },
      logLevel,
      progressToken,
    };
  }

  /** Tells the operator something about this request. */
  diagnose(event: ServerDiagnostic): void {
    const { traceId, spanId } = this.observation?.trace ?? {};
    this.definition.diagnose({
      ...event,
      requestId: this.message.id,
      ...(traceId !== undefined && { traceId, spanId }),
    });
  }

  // How it ends.

  /** Whether its work has come to an end, or was cancelled. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Who gets the outcome of its work in place of its client; `undefined` as long as that is the client. */
  get run(): DetachedRun | undefined {
    return this.#run;
  }

  /** Whether nothing more may be sent to its client: it was answered or cancelled. */
  get isAnswered(): boolean {
    return this.#isOver || this.#run !== undefined;
  }

  /** Whether the client has cancelled it. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Aborts when the client cancels the request, or middleware stops it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  onAbort(listener: AbortListener): void {
    if (this.#abortReason !== undefined) listener.aborted(this.#abortReason);
    else (this.#abortListeners ??= []).push(listener);
  }

  offAbort(listener: AbortListener): void {
    const index = this.#abortListeners?.indexOf(listener) ?? -1;
    if (index !== -1) this.#abortListeners?.splice(index, 1);
  }

  /** Cancels the request for the client. */
  cancel(reason?: string): void {
    if (this.isAnswered) return;
    this.#isOver = this.#isCancelled = true;
    // The client chose the words, so they are quoted and cut.
    const quoted = JSON.stringify(reason?.slice(0, 200));
    this.diagnose({ level: "debug", message: `${this.method} was cancelled: ${quoted}.` });
    this.#reportRunning();
    this.observation?.end({ kind: "cancelled", isTimedOut: false });
    this.abort(new DOMException(reason ?? "The request was cancelled.", "AbortError"));
  }

  /** Tells the handler to stop. */
  abort(reason: unknown): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
    const listeners = this.#abortListeners ?? [];
    this.#abortListeners = undefined;
    for (const listener of listeners) {
      callListener(
        () => listener.aborted(reason),
        (error) => this.diagnose({ level: "error", message: "A listener of an abort failed.", error }),
      );
    }
  }

  /** Throws if the request is over or aborted. Called before anything begins that has effects. */
  expectWanted(): void {
    if (!this.#isOver && this.#abortReason === undefined) return;
    throw this.signal.reason ?? new UsageError("INVALID_STATE", "The request was answered already.");
  }

  /** Turns a result into what the client gets. */
  finish(result: object): object {
    return this.era.finish(result, this);
  }

  /**
   * Sends the result, unless the request is over. A result that is not JSON becomes an error. `handled` is the result of the
   * handler, of which the era has made this one.
   */
  succeed(result: object, handled: object = result): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#questions?.end?.();
    this.#reportRunning();
    try {
      this.reply.respond({ jsonrpc: "2.0", id: this.message.id, result });
    } catch (error) {
      this.#isOver = false;
      return this.fail(error);
    }
    this.observation?.end(new Success(handled, this.#isTimedOut));
  }

  // How its work outlives it.

  /** Answers it now. What its work comes to goes to `run`, and so do its progress and its questions from now on. */
  answerEarly(result: object, run: DetachedRun): void {
    if (this.isAnswered) throw new UsageError("INVALID_STATE", "The request was answered already.");
    const finished = this.era.finishEarly(result, this);
    this.reply.respond({ jsonrpc: "2.0", id: this.message.id, result: finished });
    this.#questions?.end?.();
    this.detach(run);
    this.observation?.end(new Success(result, false));
  }

  /** Lets the work go on for somebody else than the client. */
  detach(run: DetachedRun): void {
    this.#run = run;
    this.#questions = undefined;
  }

  /** Passes the outcome of work that went on to whoever waits for it, once. */
  endRun(outcome: () => CallOutcome): void {
    const run = this.#run;
    if (run === undefined || this.#isOver) return;
    const ended = outcome();
    this.#isOver = true;
    callListener(
      () => run.ended(ended),
      (error) => this.diagnose({ level: "error", message: "An extension failed at the outcome of a call.", error }),
    );
  }

  /** The answers so far, and the results of `once`. */
  journal(): CallJournal {
    return this.questions.journal();
  }

  // How it fails.

  /** Sends an error, unless the request is over. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    const { id } = this.message;
    const known = explainError(this, error);
    this.#isOver = true;
    this.#questions?.end?.();
    this.#reportRunning();
    try {
      if (known instanceof InsufficientScope && this.reply.demandScopes !== undefined) this.reply.demandScopes(known);
      else if (known instanceof Unavailable && this.reply.refuseForNow !== undefined) this.reply.refuseForNow(known);
      else this.reply.respond(toErrorResponse(id, known));
    } catch {
      // The `data` of the error is not JSON; code and message still reach the client.
      this.reply.respond(toErrorResponse(id, new RpcError(known.code, known.message)));
    }
    this.observation?.end({ kind: "error", error: known, isTimedOut: this.#isTimedOut });
  }

  /** Whether a time limit has stopped it. Causes of causes are not checked, because an error may be its own cause. */
  get #isTimedOut(): boolean {
    const reason = this.#abortReason;
    if (!(reason instanceof Error)) return false;
    return [reason, reason.cause].some((error) => error instanceof Error && error.name === "TimeoutError");
  }

  // Its running work.

  /** Counts a part of the work that begins. */
  enter(): void {
    this.#running += 1;
  }

  /** Counts a part of the work that has ended. */
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

  // How it asks its client.

  /** The questions of this request. Throws a `UsageError` where none can be asked. */
  get questions(): Questions {
    expectAskable(this);
    return (this.#questions ??=
      this.#run === undefined ? this.era.createQuestions(this) : new DetachedQuestions(this, this.#run.questions));
  }

  /** Sends a question at once, whatever the method, in eras in which servers send requests. Resolves to the answer as it came. */
  async askNow(question: InputRequest): Promise<unknown> {
    this.expectWanted();
    if (!this.era.sendsRequests || this.isAnswered) {
      throw new UsageError("UNSUPPORTED", `Nothing can be asked during ${this.method} in ${this.revision}.`);
    }
    this.#questions ??= this.era.createQuestions(this);
    return this.#questions.ask(crypto.randomUUID(), question, (value) => ({ ok: true, value }));
  }

  /** Takes up the answers that came with the request. */
  async resume(params: RetryParams): Promise<void> {
    await this.questions.resume(params);
  }

  /** The interim result, if the handler has asked something that only the next round can answer. */
  interim(): Promise<InputRequiredResult | undefined> | undefined {
    return this.#questions?.interim();
  }
}

/** The outcome of a request with a result. Parsing a prepared result costs more than most observers want to know of it. */
class Success {
  readonly kind = "result";
  readonly isTimedOut: boolean;
  readonly #result: object;

  constructor(result: object, isTimedOut: boolean) {
    this.#result = result;
    this.isTimedOut = isTimedOut;
  }

  get result(): object {
    return this.#result instanceof PreparedJson ? (this.#result as PreparedJson).value : this.#result;
  }
}
