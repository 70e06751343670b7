import { type Refusal, RpcError, TransportError } from "../errors.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../messages/message.ts";
import { invalidDuration, isDuration } from "../options.ts";
import type { Exchange, ExchangeHints, ExchangeSink, Exchanger } from "../transport/exchange.ts";
import { Deadlines, type Deadlined } from "./deadlines.ts";
import { callListener, whenAborted } from "./listeners.ts";

/** One progress report on a request. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The options of a single call. */
export interface CallOptions {
  /** Aborting it cancels the request; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a response or progress until the call is given up. `Infinity` waits forever. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds until the call is given up in spite of progress; unless given, no less than its own `timeout`.
   */
  readonly maxTimeout?: number | undefined;
  /** Requests progress reports from the peer, and gets them. If it throws or rejects, an open call is given up. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Gets every other notification that belongs to this request. If it throws or rejects, an open call is given up. */
  readonly onNotification?: ((message: NotificationMessage) => void) | undefined;
  /** Gets the id of the request before it is sent. */
  readonly onSend?: ((id: number) => void) | undefined;
  /** Header fields for bindings that have headers. */
  readonly headers?: ExchangeHints["headers"];
}

/**
 * Receives the outcome of a call, instead of a promise. Exactly one of these is called, once.
 */
export interface CallSink {
  result(result: object): void;
  failed(error: unknown): void;
}

/** A call that waits for its response. */
export interface PendingCall {
  readonly request: RequestMessage;
  /** Restarts its timeout, up to `maxTimeout`: used while the peer waits for input from this side. */
  touch(): void;
}

/** The timeouts of all calls that set none themselves. */
export interface CallerOptions {
  /** Milliseconds without a response or progress until a call is given up. Default 60 000. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds until a call is given up in spite of progress. Default 600 000, or `timeout` if that is longer.
   */
  readonly maxTimeout?: number | undefined;
  /** Milliseconds so far in which no time counted, as while somebody logs in. Default: all time counts. */
  readonly pausedTime?: (() => number) | undefined;
}

/** How much longer a call waits whose time is paused at the moment: no timer runs more often than that. */
const PAUSED_STEP_MS = 100;

/** The last id used on each transport: all callers on one transport must use different ids. */
const lastIds = new WeakMap<object, { value: number }>();

/**
 * Turns exchanges into promises: assigns ids, enforces timeouts, and turns an aborted `AbortSignal` into a
 * cancellation. Thousands of calls may be open at once; they share one timer and need no `AbortController` each.
 */
export class Caller {
  readonly #exchanger: Pick<Exchanger, "exchange">;
  readonly #timeout: number;
  readonly #maxTimeout: number;
  readonly #pausedTime: (() => number) | undefined;
  readonly #deadlines = new Deadlines();
  readonly #lastId: { value: number };

  constructor(exchanger: Pick<Exchanger, "exchange">, options: CallerOptions = {}) {
    this.#exchanger = exchanger;
    this.#timeout = options.timeout ?? 60_000;
    this.#maxTimeout = options.maxTimeout ?? Math.max(600_000, this.#timeout);
    this.#pausedTime = options.pausedTime;
    this.#lastId = lastIds.get(exchanger) ?? { value: 0 };
    lastIds.set(exchanger, this.#lastId);
  }

  /** Sends a request and waits for its result. An error response rejects with an `RpcError`. */
  call(method: string, params: object | undefined, options: CallOptions = {}): Promise<object> {
    return new Promise((resolve, reject) => this.send(method, params, options, { result: resolve, failed: reject }));
  }

  /** The pending calls that have a deadline. */
  pendingCalls(): readonly PendingCall[] {
    return this.#deadlines.list() as readonly OpenCall[];
  }

  /** The same, with a sink instead of a promise. */
  send(method: string, params: object | undefined, options: CallOptions, sink: CallSink): void {
    const { signal, onProgress } = options;
    if (signal?.aborted === true) {
      sink.failed(signal.reason);
      return;
    }
    const timeout = options.timeout ?? this.#timeout;
    const maxTimeout = options.maxTimeout ?? this.#maxTimeout;
    if (!isDuration(timeout)) {
      sink.failed(invalidDuration("timeout", timeout));
      return;
    }
    if (!isDuration(maxTimeout)) {
      sink.failed(invalidDuration("maxTimeout", maxTimeout));
      return;
    }
    const id = ++this.#lastId.value;
    options.onSend?.(id);
    const sent = onProgress === undefined ? params : withProgressToken(params, id);
    const request: RequestMessage =
      sent === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params: sent };
    const ceiling = options.maxTimeout ?? Math.max(maxTimeout, options.timeout ?? 0);
    new OpenCall(request, options, timeout, ceiling, this.#deadlines, sink, this.#pausedTime).start(this.#exchanger);
  }
}

class OpenCall implements ExchangeSink, Deadlined, PendingCall {
  deadline: number;
  slot: number | undefined = undefined;
  readonly request: RequestMessage;
  readonly #options: CallOptions;
  readonly #timeout: number;
  #latest: number;
  readonly #deadlines: Deadlines;
  readonly #sink: CallSink;
  readonly #pausedTime: (() => number) | undefined;
  /** The paused time that the deadlines take into account already. */
  #paused: number;
  #exchange: Exchange | undefined;
  #forgetSignal: (() => void) | undefined;
  #lastProgress = -Infinity;
  #settled = false;

  constructor(
    request: RequestMessage,
    options: CallOptions,
    timeout: number,
    ceiling: number,
    deadlines: Deadlines,
    sink: CallSink,
    pausedTime: (() => number) | undefined,
  ) {
    this.request = request;
    this.#options = options;
    this.#timeout = timeout;
    this.#deadlines = deadlines;
    this.#sink = sink;
    this.#pausedTime = pausedTime;
    this.#paused = pausedTime?.() ?? 0;
    const now = performance.now();
    this.#latest = now + ceiling;
    this.deadline = now + Math.min(timeout, ceiling);
  }

  start(exchanger: Pick<Exchanger, "exchange">): void {
    if (this.deadline !== Infinity) this.#deadlines.add(this);
    const { signal, headers } = this.#options;
    try {
      if (signal !== undefined) {
        this.#forgetSignal = whenAborted(signal, () => this.#giveUp(signal.reason, "the caller cancelled it"));
      }
      this.#exchange = exchanger.exchange(this.request, this, headers === undefined ? undefined : { headers });
    } catch (error) {
      // Transports should not throw, and `signal` should be a signal. If not, this removes the deadline, which would fail
      // the call once more.
      this.failed(error as Error);
    }
  }

  notification(message: NotificationMessage): void {
    if (this.#settled) return;
    callListener(
      () =>
        message.method === "notifications/progress"
          ? this.#report(message.params as Partial<Progress> | undefined)
          : this.#options.onNotification?.(message),
      // Cancels the call instead of throwing into the transport.
      (error) => this.#giveUp(error, "the caller failed"),
    );
  }

  touch(): void {
    this.deadline = Math.min(performance.now() + this.#timeout, this.#latest);
  }

  response(message: ResponseMessage, refusal?: Refusal): void {
    if (!this.#settle()) return;
    if ("result" in message) this.#sink.result(message.result);
    else {
      const { code, message: text, data } = message.error;
      const { method } = this.request;
      this.#sink.failed(new RpcError(code, text, { data, refusal, method }));
    }
  }

  failed(error: Error): void {
    if (this.#settle()) this.#sink.failed(error);
  }

  expire(): void {
    if (this.#pausedTime !== undefined && this.#extend(this.#pausedTime())) return;
    const { method } = this.request;
    const ceilingHit = this.deadline >= this.#latest;
    // Servers report progress only to calls with `onProgress`.
    const how = this.#options.onProgress === undefined ? "pass `onProgress` to let" : "let";
    const hint = ceilingHit ? "raise `maxTimeout`" : `raise \`timeout\`, or ${how} the server report progress`;
    const error = new TransportError("TIMEOUT", `No answer to ${method} in time. If it may take longer, ${hint}.`);
    this.#giveUp(error, "it took too long");
  }

  /** Moves the deadlines by the time that was paused since they were set. Returns whether there was any. */
  #extend(pausedTime: number): boolean {
    const pause = pausedTime - this.#paused;
    if (pause <= 0) return false;
    this.#paused = pausedTime;
    this.#latest += pause;
    this.deadline = Math.max(this.deadline + pause, performance.now() + PAUSED_STEP_MS);
    this.#deadlines.add(this);
    return true;
  }

  /** Drops reports that go back: progress must increase (basic/utilities/progress). */
  #report(report: Partial<Progress> | undefined): unknown {
    // Progress restarts the timeout, up to `maxTimeout`.
    this.touch();
    const { progress, total, message } = report ?? {};
    if (typeof progress !== "number" || progress < this.#lastProgress) return undefined;
    this.#lastProgress = progress;
    return this.#options.onProgress?.({
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  #giveUp(error: unknown, reason: string): void {
    if (!this.#settle()) return;
    try {
      this.#exchange?.cancel(reason);
    } catch {
      // Transports should not throw. The caller, and others on the same signal, must be told all the same.
    }
    this.#sink.failed(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#deadlines.delete(this);
    this.#forgetSignal?.();
    return true;
  }
}

function withProgressToken(params: object | undefined, progressToken: number): object {
  const meta = (params as { _meta?: object } | undefined)?._meta;
  return { ...params, _meta: { ...meta, progressToken } };
}
