import {
  type ClientCapabilities,
  type ElicitParams,
  type ElicitResult,
  type Exchanger,
  type InputRequest,
  ProtocolViolation,
  type RequestMessage,
  type RequestMethod,
  type Revision,
  RpcError,
  TransportError,
  UsageError,
} from "@toolwire/protocol";
import { isObject, restoreElicitResult, translateRequest, whenAborted } from "@toolwire/protocol/internal";
import { ToolError } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { sessionOf } from "./identity.ts";
import { noSession } from "./methods.ts";
import type { LegacySession } from "./session.ts";
import type { Awaitable } from "../define/tool.ts";
import { Keys, Memo, missingCapability, type Questions, type Reading } from "../input/questions.ts";

/** A way to send requests to the client. */
export type Way = Pick<Exchanger, "exchange">;

/** Beyond this, timers fire at once: nearly 25 days, and who waits longer than that waits for ever. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * What sends the questions of one session, from the first to the end of the session. Users and models take their time, so
 * each question may have a timer and a signal of its own, unlike the calls of a client.
 */
export class Asker {
  readonly #session: LegacySession;
  /** Aborted once the client is ready for requests; forgets who no longer waits for that. */
  readonly #starting = new AbortController();
  readonly #ending = new AbortController();
  #lastId = 0;

  constructor(session: LegacySession) {
    this.#session = session;
    if (session.isClosed) this.end();
  }

  /** Sends a request, as soon as the client is ready for requests. It is taken back when the call is answered without it. */
  async ask(
    method: string,
    params: object | undefined,
    request: ServedRequest,
    way: Way,
    answered: AbortSignal,
  ): Promise<object> {
    const session = this.#session;
    const { signal } = request;
    const { inputTimeout } = request.definition;
    const over = new AbortController();
    let why = "it was not answered in time";
    const ring = (): void => over.abort(session.isReady ? unanswered() : notReady());
    const timer = inputTimeout > LONGEST_TIMER ? undefined : setTimeout(ring, inputTimeout);
    // These may outlive the question by far, so none may remember it: `AbortSignal.any` would have them do so.
    const ties = [signal, answered, this.#ending.signal].map((each) =>
      whenAborted(each, () => {
        why = each === this.#ending.signal ? "the session ended" : whyStopped(request);
        over.abort(each.reason);
      }),
    );
    try {
      if (!session.isReady) {
        await unlessOver(over.signal, (resolve) => ties.push(whenAborted(this.#starting.signal, resolve)));
      }
      const request: RequestMessage = { jsonrpc: "2.0", id: ++this.#lastId, method, ...(params && { params }) };
      return await unlessOver<object>(over.signal, (resolve, reject) => {
        const exchange = way.exchange(request, {
          notification() {},
          response(message) {
            if ("result" in message) resolve(message.result);
            else reject(new RpcError(message.error.code, message.error.message, { data: message.error.data }));
          },
          failed: reject,
        });
        over.signal.addEventListener("abort", () => exchange.cancel(why));
      });
    } finally {
      clearTimeout(timer);
      for (const forget of ties) forget();
    }
  }

  /** The client is ready for requests. */
  start(): void {
    this.#starting.abort();
  }

  /** The session has ended. */
  end(): void {
    this.#ending.abort(new TransportError("CLOSED", "The session was closed before the client answered."));
  }
}

/** A promise that a signal breaks off. */
function unlessOver<T = void>(
  over: AbortSignal,
  begin: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    over.throwIfAborted();
    over.addEventListener("abort", () => reject(over.reason as Error));
    begin(resolve, reject);
  });
}

function unanswered(): TransportError {
  return new TransportError("TIMEOUT", "The client has not answered in time.");
}

/** What the client may know of why a handler was stopped: its own words, ours, or those of an error made for it. */
function whyStopped({ signal, isCancelled }: ServedRequest): string {
  const reason = signal.reason as Error;
  const isPublic = isCancelled || reason instanceof RpcError || reason instanceof ToolError;
  return isPublic ? reason.message : "it is not needed any more";
}

function notReady(): ToolError {
  return new ToolError("The client has not sent `notifications/initialized`, so it could not be asked.");
}

/** Questions of the legacy era: requests that are sent to the client while its own request waits. */
export class PushedQuestions implements Questions {
  readonly hasElicitationIds = true;
  readonly #request: ServedRequest;
  readonly #keys = new Keys();
  readonly #memo = new Memo();
  readonly #answered = new AbortController();

  constructor(request: ServedRequest) {
    this.#request = request;
  }

  async ask<T>(key: string, request: InputRequest, read: (answer: unknown) => Awaitable<Reading<T>>): Promise<T> {
    this.#keys.claim(key);
    const { revision, reply } = this.#request;
    const session = sessionOf(this.#request);
    // Only a session declares capabilities, without which nothing is asked.
    if (session === undefined) throw new UsageError("INVALID_STATE", "A plain request has no client to ask.");
    const { method, params } = request;
    const translated = translateRequest(revision, method as RequestMethod, params as never) as object | undefined;
    // Through the stream of the request being served, where there is one.
    const way = [reply, session.link].find(canExchange);
    if (way === undefined) throw new ToolError("This connection cannot carry questions to the client.");
    session.asker ??= new Asker(session);
    const answer = await session.asker
      .ask(method, translated, this.#request, way, this.#answered.signal)
      .catch(explainFailure(method));
    const restored = request.method === "elicitation/create" ? restoreForm(revision, request.params, answer) : answer;
    const reading = await read(restored);
    if (reading.ok) return reading.value;
    throw new ToolError(`The client's answer to ${method} does not fit: ${reading.problem}`);
  }

  once<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    return this.#memo.run(key, work);
  }

  interim(): undefined {
    return undefined;
  }

  /** Plain requests declare no capabilities: a client does that in the handshake that opens a session. */
  missing(requiredCapabilities: ClientCapabilities): RpcError {
    return sessionOf(this.#request) === undefined
      ? noSession("Asking the client")
      : missingCapability(requiredCapabilities);
  }

  end(): void {
    this.#answered.abort(new TransportError("CLOSED", "The call was answered before the client has answered."));
  }

  /** Legacy clients never call again with answers; what they send under these names means nothing here. */
  async resume(): Promise<void> {}
}

/** Whether requests can be sent this way. */
function canExchange<T extends Partial<Way>>(way: T): way is T & Way {
  return way.exchange !== undefined;
}

/**
 * A client that answers with an error, by breaking the rules, or not at all, has not answered; its error is not the answer
 * to its own request.
 */
function explainFailure(method: string): (error: unknown) => never {
  return (cause) => {
    if (cause instanceof RpcError || cause instanceof ProtocolViolation) {
      throw new ToolError(`The client did not answer ${method}: ${cause.message}`, { cause });
    }
    if (cause instanceof TransportError) throw new ToolError(`The client did not answer ${method}.`, { cause });
    throw cause as Error;
  };
}

function restoreForm(revision: Revision, params: ElicitParams, answer: object): object {
  const isFilledIn = "content" in answer && isObject(answer.content);
  return isFilledIn ? restoreElicitResult(revision, params, answer as ElicitResult) : answer;
}
