import {
  type CallToolResult,
  type InputRequiredResult,
  type JsonObject,
  type ListToolsResult,
  type LoggingLevel,
  type LogMessageParams,
  type NotificationMessage,
  RpcError,
  type SchemaValidator,
} from "@toolwire/protocol";
import type { CallOptions, CallSink } from "@toolwire/protocol/internal";
import type { RequestOptions } from "../call-options.ts";
import type { ToolCatalog } from "../catalog/catalog.ts";
import type { Connection } from "../connection/connection.ts";
import type { Link } from "../connection/link.ts";
import type { ExtensionSet, FoundInterim } from "../extensions/extension-set.ts";
import { type GuardedObserver, ObservedSink } from "../guarded-observer.ts";
import type { Inputs } from "../input/handlers.ts";
import { checkType, readLogMessage, readResult } from "../messages/results.ts";
import { isRefusal } from "../transports/refusal.ts";
import { inTime } from "../waiting.ts";
import { Call, type CallNote, type CallOwner, type CallTimes } from "./call.ts";
import { recoverCall, throwUnsent } from "./recovery.ts";
import { playRound } from "./rounds.ts";
import { ToolCalls } from "./tool-calls.ts";

/** The settings of calls, and the parts of the client that they use. */
export interface CallsOptions {
  readonly link: Link;
  readonly inputs: Inputs;
  readonly catalog: ToolCatalog;
  /** Whether structured results are checked: of tools that have been listed, or `always`. */
  readonly validate: boolean | "always";
  readonly validator: SchemaValidator | undefined;
  /** The extensions that the application supports; `undefined` if there are none. */
  readonly extensions: ExtensionSet | undefined;
  /** Sees each request, if anybody does. */
  readonly observer: GuardedObserver | undefined;
  /** Gets log messages that no call claims. */
  readonly onLog: LogListener | undefined;
  readonly maxRounds: number;
  readonly times: CallTimes;
  /** Gets the notifications that come with calls, and the listeners for those that are log messages. */
  readonly hear: (message: NotificationMessage, listeners: readonly (LogListener | undefined)[]) => void;
}

/** Gets log messages. It may be an asynchronous function, whose rejection is handled. */
export type LogListener = (message: LogMessageParams) => unknown;

/** The options of a call without options: always the same object, by which the fast path recognises it. */
export const NO_OPTIONS: RequestOptions = {};

/** Sends requests: the calls themselves, or a cache in front of them. */
export interface CallSender {
  send(method: string, params: object | undefined, options: RequestOptions, spent?: number): Promise<object>;
}

/** Sends requests, and does everything that may be needed until there is a final result. */
export class Calls implements CallOwner, CallSender {
  /** The lowest severity of log messages to request, for calls that do not say. */
  logLevel: LoggingLevel | undefined;
  readonly times: CallTimes;
  readonly tools: ToolCalls;
  readonly #options: CallsOptions;
  /** The options of all calls without options. */
  readonly #plain: CallOptions;
  /** The calls under way that listen for log messages. */
  readonly #logging = new Set<Call>();

  constructor(options: CallsOptions) {
    this.#options = options;
    this.times = options.times;
    this.tools = new ToolCalls({ ...options, list: (params) => this.send("tools/list", params, NO_OPTIONS) });
    this.#plain = { onNotification: (message) => options.hear(message, [options.onLog]) };
  }

  /**
   * Sends a request and resolves to its final, checked result. The parameters must be a fresh object. `spent` is how much of
   * its time is used up already, in whole milliseconds.
   */
  send(
    method: string,
    params: object | undefined,
    options: RequestOptions,
    spent = 0,
    note?: CallNote,
  ): Promise<object> {
    const call = new Call(this, method, params, options, note, spent);
    // The time spent waiting for a connection counts.
    return this.#options.link.current === undefined
      ? this.#connected(call)
          .catch(throwUnsent)
          .then(() => this.#start(call))
      : this.#start(call);
  }

  /** The listeners for a log message that did not come with a call. Each is listed once, however many calls it is for. */
  logListeners(): ReadonlySet<LogListener | undefined> {
    return new Set([this.#options.onLog, ...[...this.#logging].map(({ options }) => options.onLog)]);
  }

  accept(call: Call, result: object): object | Promise<object> {
    const { connection } = call;
    connection.hasServed = true;
    if (connection.agreement.era.hasResultTypes) {
      const { resultType } = result as { readonly resultType?: unknown };
      if (call.options.resultTypes?.includes(resultType as string) === true) return result;
      if (resultType === "input_required") return this.#playRound(call, result as InputRequiredResult);
    }
    const { extensions } = this.#options;
    const found = extensions?.findInterim(call, result);
    return found === undefined ? this.#finish(call, result) : this.#settle(call, result, found);
  }

  /** Checks a result of `tools/call` that has come in another way than as the answer to that request. */
  async checkResult(name: string, result: object, options: RequestOptions): Promise<object> {
    const call = new Call(this, "tools/call", { name }, options, undefined, 0);
    call.connection = this.#options.link.current ?? (await this.#options.link.ready());
    await this.tools.prepare(call);
    return this.#finish(call, result);
  }

  /** Checks a final result, and learns from it. */
  #finish(call: Call, result: object): object | Promise<object> {
    const { method, connection } = call;
    if (connection.agreement.era.hasResultTypes) checkType(method, result);
    const read = readResult(method, result);
    if (call.note) call.note.wasAnswered = call.rounds > 0;
    if (method === "tools/call") return this.tools.check(call, read as CallToolResult);
    return method === "tools/list" ? this.tools.learn(read as ListToolsResult) : read;
  }

  async recover(call: Call, error: unknown): Promise<object> {
    // An error that is no refusal of the transport is an answer, too.
    if (error instanceof RpcError && !isRefusal(error)) call.connection.hasServed = true;
    await recoverCall(call, error, this.#options, () => this.tools.find(call));
    return this.#dispatch(call);
  }

  #connected(call: Call): Promise<unknown> {
    return call.waitFor(this.#options.link.ready(), "connecting");
  }

  #start(call: Call): Promise<object> {
    const prepared = call.method === "tools/call" ? this.tools.prepare(call) : undefined;
    return prepared === undefined ? this.#dispatch(call) : prepared.then(() => this.#dispatch(call));
  }

  /** Sends a call over the current connection. */
  #dispatch(call: Call): Promise<object> {
    const { current } = this.#options.link;
    if (current === undefined) return this.#connected(call).then(() => this.#dispatch(call));
    call.connection = current;
    const outcome = new Promise<object>((resolve, reject) => {
      call.awaitedBy(resolve, reject);
      this.#transmit(call);
    });
    if (call.options.onLog === undefined) return outcome;
    this.#logging.add(call);
    return outcome.finally(() => this.#logging.delete(call));
  }

  /** The header with the name of what a request of an extension is about, where the protocol has such a header. */
  #nameHeaders(
    { transport, agreement }: Connection,
    method: string,
    sent: object | undefined,
  ): Readonly<Record<string, string>> | undefined {
    const { extensions } = this.#options;
    if (extensions === undefined || !transport.hasHeaders || !agreement.era.hasParamHeaders) return undefined;
    return extensions.headersOf(method, sent);
  }

  #transmit(call: Call): void {
    const { observer } = this.#options;
    if (observer === undefined) return this.#send(call, call.sent, call);
    const { method, sent, connection, observation: previous } = call;
    const observation = observer.request(method, sent, connection.agreement, previous);
    call.observation = observation;
    if (observation === undefined) return this.#send(call, sent, call);
    // Below the cache, so that a trace context, which is never the same, does not keep results out of it.
    const sink = new ObservedSink(observation, call);
    this.#send(call, observation.complete(sent), sink, (id) => observation.sent(id));
  }

  #send(call: Call, sent: object | undefined, sink: CallSink, onSend?: CallOptions["onSend"]): void {
    const { connection, method, options } = call;
    const headers = call.headers ?? this.#nameHeaders(connection, method, sent);
    if (options === NO_OPTIONS && headers === undefined && call.isFresh) {
      const plain = onSend === undefined ? this.#plain : { ...this.#plain, onSend };
      connection.send(method, sent, plain, this.logLevel, sink);
      return;
    }
    const { timeout, maxTimeout } = call.isFresh ? options : call.timeLeft;
    const { signal, onProgress } = options;
    const onLog: LogListener | undefined = options.onLog;
    const onNotification = (message: NotificationMessage): unknown => {
      this.#options.hear(message, onLog === undefined ? [this.#options.onLog] : []);
      const log = readLogMessage(message);
      // The returned promise matters: if the listener fails, the call is given up.
      return log && onLog?.(log);
    };
    const logLevel = options.logLevel ?? this.logLevel ?? (onLog && "info");
    const heard = { signal, timeout, maxTimeout, onProgress, onNotification, onSend, headers };
    connection.send(method, sent, heard, logLevel, sink);
  }

  /** Leaves it to an extension to wait for the final result. That may take long, so only a limit of the call itself counts. */
  async #settle(call: Call, result: object, { interim, client }: FoundInterim): Promise<object> {
    const { method, params, options } = call;
    const limit = options.maxTimeout === undefined ? Infinity : (call.timeLeft.maxTimeout ?? Infinity);
    const message = `No final result of ${method} in time. Raise \`maxTimeout\` to wait longer.`;
    const { link, times } = this.#options;
    const settle = (signal: AbortSignal): Promise<object> =>
      interim.settle(result as JsonObject, { method, params, options, signal, client });
    const final = await inTime(limit, message, [link.over, options.signal], settle, false, times.pausedTime);
    return this.#finish(call, final);
  }

  async #playRound(call: Call, asked: InputRequiredResult): Promise<object> {
    await playRound(call, asked, this.#options);
    // The connection may have changed while the user answered. That makes no difference to a server without sessions.
    return this.#dispatch(call);
  }
}
