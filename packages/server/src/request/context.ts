import {
  LOGGING_LEVELS,
  UsageError,
  type ClientCapabilities,
  type Era,
  type Implementation,
  type LoggingLevel,
  type ProgressParams,
  type ProgressToken,
  type RequestId,
  type RequestMeta,
  type Revision,
} from "@toolwire/protocol";
import { defined } from "../define/check-options.ts";
import type { Context } from "../define/context.ts";
import { readScopes } from "../define/scopes.ts";
import { elicit, listRoots, sample, tryElicit } from "../input/ask.ts";
import type { Questions } from "../input/questions.ts";
import type { Principal } from "../origin.ts";
import { sendIfPossible } from "../subscriptions/subscriptions.ts";
import { requireScopes } from "./scopes.ts";
import type { ServedRequest } from "./served-request.ts";

const LOG_MESSAGE = "notifications/message";

/**
 * The context that handlers get. Its functions are getters that return bound functions, so that handlers can destructure the
 * context, and pay only for what they use.
 */
export class RequestContext implements Context {
  readonly #request: ServedRequest;
  #lastProgress = -Infinity;
  /** Whether the client reads too slowly for messages that may be lost. */
  #isBackedUp = false;

  constructor(request: ServedRequest) {
    this.#request = request;
  }

  /** The request of a context that a server has made. */
  static requestOf(context: Context): ServedRequest {
    if (#request in context) return context.#request;
    throw new UsageError("INVALID_ARGUMENT", "This is not the context of a request.");
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get requestId(): RequestId {
    return this.#request.message.id;
  }

  get revision(): Revision {
    return this.#request.revision;
  }

  get era(): Era {
    return this.#request.era.name;
  }

  get clientInfo(): Implementation | undefined {
    return this.#request.identity.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#request.identity.clientCapabilities;
  }

  get principal(): Principal | undefined {
    return this.#request.origin.principal;
  }

  get _meta(): RequestMeta {
    return (this.#request.params as { _meta?: RequestMeta } | undefined)?._meta ?? {};
  }

  get logLevel(): LoggingLevel | undefined {
    const { definition, identity } = this.#request;
    return definition.hasLogging ? identity.logLevel : undefined;
  }

  get header(): Context["header"] {
    return (name) => this.#request.origin.header?.(name.toLowerCase());
  }

  get requireScopes(): Context["requireScopes"] {
    return (...scopes) => requireScopes(this.#request, readScopes(scopes));
  }

  get progress(): Context["progress"] {
    return (progress, total, message) => {
      const { identity, era, revision, run } = this.#request;
      const { progressToken } = identity;
      if (progressToken === undefined && run === undefined) return;
      // It must increase with each notification (progress page), which NaN never does.
      if (!Number.isFinite(progress) || progress <= this.#lastProgress) return;
      this.#lastProgress = progress;
      if (run !== undefined) return run.progress?.({ progress, ...defined({ total, message }) });
      const params: ProgressParams = {
        progressToken: progressToken as ProgressToken,
        progress,
        ...(Number.isFinite(total) && { total }),
        ...(message !== undefined && { message }),
      };
      const method = "notifications/progress";
      this.#send(method, era.translateNotification(revision, method, params));
    };
  }

  get log(): Context["log"] {
    return (level, data, logger) => {
      if (!this.#wantsLog(level)) return;
      this.#send(LOG_MESSAGE, { level, ...(logger !== undefined && { logger }), data: data ?? null });
    };
  }

  get notify(): Context["notify"] {
    return (message) => ignoreRejection(this.#notify(message));
  }

  get elicit(): Context["elicit"] {
    return ((key: string, question: never) =>
      this.#ask((questions) => elicit(this.#request, questions, key, question))) as Context["elicit"];
  }

  get tryElicit(): Context["tryElicit"] {
    return ((key: string, question: never) =>
      this.#ask((questions) => tryElicit(this.#request, questions, key, question))) as Context["tryElicit"];
  }

  get sample(): Context["sample"] {
    return (key, params) => this.#ask((questions) => sample(this.#request, questions, key, params));
  }

  get roots(): Context["roots"] {
    return (key) => this.#ask((questions) => listRoots(this.#request, questions, key));
  }

  get once(): Context["once"] {
    return (key, work) => this.#ask((questions) => questions.once(key, work));
  }

  get suspendStream(): Context["suspendStream"] {
    return (retryDelay) => {
      const { isAnswered, reply } = this.#request;
      if (!isAnswered) reply.suspend?.(retryDelay);
    };
  }

  /** Even if the handler does not await a question, the interim result carries it to the client. */
  #ask<T>(work: (questions: Questions) => Promise<T>): Promise<T> {
    // `async` turns what is thrown at once into a rejection.
    const asked = async (): Promise<T> => work(this.#request.questions);
    return ignoreRejection(asked());
  }

  async #notify({ method, params }: Parameters<Context["notify"]>[0]): Promise<void> {
    const { isAnswered, reply } = this.#request;
    // Log messages have to be wanted, whichever way they are sent (logging page).
    if (isAnswered || (method === LOG_MESSAGE && !this.#wantsLog((params as LogParams)?.level))) return;
    await reply.notify({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  /** Whether the client wants log messages of this severity. An unknown severity is below all others. */
  #wantsLog(level: LoggingLevel | undefined): boolean {
    const wanted = this.logLevel;
    const levels: readonly unknown[] = LOGGING_LEVELS;
    return wanted !== undefined && levels.indexOf(level) >= levels.indexOf(wanted);
  }

  /** Sends a message that may be lost: while the client reads too slowly, it is dropped rather than queued. */
  #send(method: string, params: object): void {
    const { isAnswered, reply } = this.#request;
    if (isAnswered || this.#isBackedUp) return;
    const slow = sendIfPossible(() => reply.notify({ jsonrpc: "2.0", method, params }));
    if (slow === undefined) return;
    this.#isBackedUp = true;
    void slow.then(() => {
      this.#isBackedUp = false;
    });
  }
}

/** Handlers need not await this promise: a rejection that nobody handles would end the process. */
function ignoreRejection<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

type LogParams = { readonly level: LoggingLevel } | undefined;
