import {
  type ClientCapabilities,
  type ElicitParams,
  type ElicitResult,
  type Exchanger,
  type InputRequest,
  ProtocolViolation,
  type RequestId,
  type RequestMessage,
  type RequestMethod,
  type Revision,
  RpcError,
  TransportError,
  UsageError,
} from "@toolwire/protocol";
import {
  isObject,
  LONGEST_TIMER,
  restoreElicitResult,
  translateRequest,
  whenAborted,
} from "@toolwire/protocol/internal";
import type { Awaitable } from "../define/tool.ts";
import type { CallJournal } from "../define/tool-hooks.ts";
import { ToolError } from "../errors.ts";
import { Keys, Memo, missingCapability, type Questions, type Reading } from "../input/questions.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { noSession, notKept } from "./methods.ts";
import { sessionOf, type LegacySession } from "./session.ts";

/**
 * Sends requests to the client of one session. Users and models take their time, so each request may have a timer and a
 * signal of its own.
 */
export class ClientRequests {
  readonly #session: LegacySession;
  /** Aborted once the client is ready for requests. A signal, because its listeners can be removed. */
  readonly #starting = new AbortController();
  readonly #ending = new AbortController();
  #lastId = 0;

  constructor(session: LegacySession) {
    this.#session = session;
    if (session.isClosed) this.end();
  }

  /**
   * Sends a request for the request being served, as soon as the client is ready. It is cancelled when `answered` aborts,
   * because the request being served was answered without it.
   */
  send(
    method: string,
    params: object | undefined,
    served: ServedRequest,
    link: Pick<Exchanger, "exchange">,
    answered: AbortSignal,
  ): Promise<object> {
    const { context, definition, origin } = served;
    const observation = definition.observer?.question({ method, params, context, origin });
    if (observation === undefined) return this.#send(method, params, served, link, answered);
    const { meta, sent, end } = observation;
    const asked = this.#send(method, withMeta(params, meta), served, link, answered, sent);
    asked.then(
      (result) => end({ result }),
      (error: unknown) => end({ error }),
    );
    return asked;
  }

  async #send(
    method: string,
    params: object | undefined,
    served: ServedRequest,
    link: Pick<Exchanger, "exchange">,
    answered: AbortSignal,
    sent?: (id: RequestId) => void,
  ): Promise<object> {
    const session = this.#session;
    const { signal } = served;
    const { inputTimeout } = served.definition;
    const over = new AbortController();
    let why = "it was not answered in time";
    const ring = (): void => over.abort(session.isReady ? unanswered() : notReady());
    // A timer would fire at once after a longer time, so there is none.
    const timer = inputTimeout > LONGEST_TIMER ? undefined : setTimeout(ring, inputTimeout);
    // These signals may live much longer than this request. `AbortSignal.any` would keep it in memory as long as they live.
    const ties = [signal, answered, this.#ending.signal].map((each) =>
      whenAborted(each, () => {
        why = each === this.#ending.signal ? "the session ended" : whyStopped(served);
        over.abort(each.reason);
      }),
    );
    try {
      if (!session.isReady) {
        await unlessOver(over.signal, (resolve) => ties.push(whenAborted(this.#starting.signal, resolve)));
      }
      const id = session.link.sharing?.createRequestId?.() ?? (this.#lastId += 1);
      const request: RequestMessage = { jsonrpc: "2.0", id, method, ...(params && { params }) };
      sent?.(request.id);
      return await unlessOver<object>(over.signal, (resolve, reject) => {
        const exchange = link.exchange(request, {
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

/** Adds members to the `_meta` of parameters. */
function withMeta(params: object | undefined, meta: object | undefined): object | undefined {
  if (meta === undefined) return params;
  const given = (params as { readonly _meta?: object } | undefined)?._meta;
  return { ...params, _meta: { ...given, ...meta } };
}

/** A promise that a signal rejects. */
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

/** The reason for a cancellation as the client may see it: its own words, or those of an error made for callers. */
function whyStopped({ signal, isCancelled }: ServedRequest): string {
  const reason = signal.reason as Error;
  const isPublic = isCancelled || reason instanceof RpcError || reason instanceof ToolError;
  return isPublic ? reason.message : "it is not needed any more";
}

function notReady(): ToolError {
  return new ToolError("The client has not sent `notifications/initialized`, so it could not be asked.");
}

/** Asks by sending requests to the client while its own request waits. */
export class PushedQuestions implements Questions {
  readonly hasElicitationIds = true;
  readonly #request: ServedRequest;
  readonly #keys = new Keys();
  readonly #memo = new Memo();
  readonly #answers = new Map<string, unknown>();
  readonly #answered = new AbortController();

  constructor(request: ServedRequest) {
    this.#request = request;
  }

  async ask<T>(key: string, request: InputRequest, read: (answer: unknown) => Awaitable<Reading<T>>): Promise<T> {
    this.#keys.claim(key);
    const { revision, reply } = this.#request;
    const session = sessionOf(this.#request);
    // Unreachable: only sessions declare capabilities, and nothing is asked without one.
    if (session === undefined) throw new UsageError("INVALID_STATE", "A plain request has no client to ask.");
    const { method, params } = request;
    const translated = translateRequest(revision, method as RequestMethod, params as never) as object | undefined;
    // On the stream of the request being served, if there is one.
    const link = [reply, session.link].find(canExchange);
    if (link === undefined) throw new ToolError("This connection cannot carry questions to the client.");
    session.clientRequests ??= new ClientRequests(session);
    const answer = await session.clientRequests
      .send(method, translated, this.#request, link, this.#answered.signal)
      .catch(explainFailure(method));
    const restored = request.method === "elicitation/create" ? restoreForm(revision, request.params, answer) : answer;
    const reading = await read(restored);
    if (reading.ok) {
      this.#answers.set(key, restored);
      return reading.value;
    }
    throw new ToolError(`The client's answer to ${method} does not fit: ${reading.problem}`);
  }

  once<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    return this.#memo.run(key, work);
  }

  journal(): CallJournal {
    return { answers: Object.fromEntries(this.#answers), done: Object.fromEntries(this.#memo.done) };
  }

  interim(): undefined {
    return undefined;
  }

  /** Plain requests declare no capabilities: a client does that in the handshake that opens a session. */
  missing(requiredCapabilities: ClientCapabilities): RpcError {
    const session = sessionOf(this.#request);
    if (session === undefined) return noSession("Asking the client");
    return session.link.exchange === undefined ? notKept("Asking the client") : missingCapability(requiredCapabilities);
  }

  end(): void {
    this.#answered.abort(new TransportError("CLOSED", "The call was answered before the client has answered."));
  }

  /** Legacy clients do not send answers with a request. Members of that name mean nothing here. */
  async resume(): Promise<void> {}
}

/** Whether a reply or link can send requests to the client. */
function canExchange<T extends Partial<Pick<Exchanger, "exchange">>>(link: T): link is T & Pick<Exchanger, "exchange"> {
  return link.exchange !== undefined;
}

/** An error of the client is not the response to its own request: the tool that asked fails, and the model reads why. */
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
