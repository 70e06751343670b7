/**
 * Sends requests where there is `fetch` but not Node: browsers, workers, Bun. No runtime shows `fetch` the address that it connects
 * to, so only hosts and addresses that a URL names are checked here.
 */
import { UsageError } from "@toolwire/protocol";
import { whenAborted } from "@toolwire/protocol/internal";
import type { AbortListener } from "@toolwire/server";
import { AddressPolicy } from "./address-policy.ts";
import { type OnHttpDiagnostic, tell, warnOfRefusals } from "./diagnostics.ts";
import {
  addressRefused,
  busy,
  cancelled,
  connectionLost,
  timedOut,
  tooLarge,
  unreachable,
  withoutDetails,
} from "./errors.ts";
import type { HttpCaller, HttpRequest, HttpResponse, SendOptions } from "./http-caller.ts";
import { type CheckedCallerOptions, expectCallerOptions, type HttpCallerOptions } from "./options.ts";
import { findRedirect } from "./redirect.ts";
import { isRepeatable, isTemporary, retryDelay } from "./retry.ts";
import { WaitingLine } from "./waiting-line.ts";

/**
 * Makes a caller. Requests go to allowed hosts only; redirects are not followed; responses, times and waiting calls are limited.
 *
 * @example
 * ```ts
 * const http = createHttpCaller({ network: { hosts: ["api.example.com"] } });
 * ```
 */
export function createHttpCaller(options?: HttpCallerOptions): HttpCaller {
  const checked = expectCallerOptions(options);
  for (const name of ["tls", "lookup"] as const) {
    if (checked[name] === undefined) continue;
    throw new UsageError("UNSUPPORTED", `The option \`${name}\` of createHttpCaller() needs Node.`);
  }
  return new FetchCaller(checked);
}

/** Needs Node. */
export function createNetworkGuard(): never {
  throw new UsageError(
    "UNSUPPORTED",
    "createNetworkGuard() needs Node, which can look at the address of a connection.",
  );
}

class FetchCaller implements HttpCaller {
  readonly #options: CheckedCallerOptions;
  readonly #policy: AddressPolicy;
  readonly #onDiagnostic: OnHttpDiagnostic;
  /** By origin; `undefined` for one that is not allowed. */
  readonly #lines = new Map<string, WaitingLine<() => void>>();

  constructor(options: CheckedCallerOptions) {
    this.#options = options;
    this.#policy = new AddressPolicy(options.network);
    this.#onDiagnostic = options.onDiagnostic ?? warnOfRefusals();
  }

  async send(request: HttpRequest, limits: SendOptions): Promise<HttpResponse> {
    const { signal } = limits;
    if (signal?.aborted === true) throw cancelled(signal.reason);
    const line = this.#lines.get(request.origin) ?? this.#open(request.origin);
    const call = new FetchCall(request, limits, this.#options, this.#onDiagnostic);
    try {
      call.expectWanted();
      await enter(line, call);
      try {
        return await call.run();
      } finally {
        line.leave()?.();
      }
    } finally {
      call.end();
    }
  }

  close(): Promise<void> {
    this.#lines.clear();
    return Promise.resolve();
  }

  #open(origin: string): WaitingLine<() => void> {
    const problem = this.#policy.findProblem(origin);
    if (problem !== undefined) {
      tell(this.#onDiagnostic, { type: "address-refused", host: new URL(origin).hostname, message: problem });
      throw addressRefused();
    }
    const line = new WaitingLine<() => void>(this.#options.maxConnections, this.#options.maxWaiting);
    this.#lines.set(origin, line);
    return line;
  }
}

/** Waits until a call may begin. Fails if it is over before that, or if there is no room. */
function enter(line: WaitingLine<() => void>, call: FetchCall): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => resolve();
    const place = line.enter(begin);
    if (place === "full") reject(busy());
    else if (place === "begin") resolve();
    else {
      call.onEnd = (error) => {
        if (line.giveUp(begin)) reject(error);
      };
    }
  });
}

/** One call: its attempts, its deadline, its response. */
class FetchCall implements AbortListener {
  /** Called once if the call is over before its response. */
  onEnd: ((error: Error) => void) | undefined;
  readonly #request: HttpRequest;
  readonly #limits: SendOptions;
  readonly #options: CheckedCallerOptions;
  readonly #onDiagnostic: OnHttpDiagnostic;
  readonly #start = performance.now();
  readonly #abort = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #stopListening: (() => void) | undefined;
  #path: string;
  #attempts = 0;
  #redirects = 0;

  constructor(
    request: HttpRequest,
    limits: SendOptions,
    options: CheckedCallerOptions,
    onDiagnostic: OnHttpDiagnostic,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#options = options;
    this.#onDiagnostic = onDiagnostic;
    this.#path = request.path;
    const { signal, cancellation, timeout } = limits;
    this.#timer = setTimeout(() => this.#fail(timedOut(timeout)), timeout);
    if (signal !== undefined) this.#stopListening = whenAborted(signal, () => this.aborted(signal.reason));
    cancellation?.onAbort(this);
  }

  async run(): Promise<HttpResponse> {
    for (;;) {
      this.#attempts += 1;
      const outcome = await this.#attempt();
      if (outcome !== undefined) return outcome;
    }
  }

  /** Throws if nobody waits for the response. */
  expectWanted(): void {
    this.#abort.signal.throwIfAborted();
  }

  /** The caller does not wait for the response any more. */
  aborted(reason: unknown): void {
    this.#fail(cancelled(reason));
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#stopListening?.();
    this.#limits.cancellation?.offAbort(this);
  }

  #fail(error: Error): void {
    this.#abort.abort(error);
    this.onEnd?.(error);
  }

  /** Sends the request once. `undefined`: it is to be sent again. */
  async #attempt(): Promise<HttpResponse | undefined> {
    const { method, origin, headers, body } = this.#request;
    const { signal } = this.#abort;
    const { firstByteTimeout } = this.#options;
    const timer = setTimeout(() => this.#fail(timedOut(firstByteTimeout)), firstByteTimeout);
    let response: Response;
    try {
      signal.throwIfAborted();
      const init = {
        method,
        headers,
        body: (body as BodyInit | undefined) ?? null,
        redirect: "manual" as const,
        signal,
      };
      response = await fetch(origin + this.#path, init);
    } catch (error) {
      // The request may have been sent, so only requests that are safe to repeat are sent again.
      if (!signal.aborted && isRepeatable(method) && (await this.#retry("no connection", undefined))) return undefined;
      throw signal.aborted ? (signal.reason as Error) : this.#unreachable(error);
    } finally {
      clearTimeout(timer);
    }
    const firstByteMs = performance.now() - this.#start;
    const read = await this.#read(response);
    const received = Object.fromEntries(response.headers);
    const { status } = response;
    if (this.#redirects < this.#options.maxRedirects) {
      const path = findRedirect(method, origin, this.#path, status, received["location"]);
      if (path !== undefined) {
        this.#path = path;
        this.#redirects += 1;
        return undefined;
      }
    }
    const mayRetry = isTemporary(status) && isRepeatable(method);
    if (mayRetry && (await this.#retry(`status ${status}`, received["retry-after"]))) return undefined;
    // Browsers show nothing of a redirect that they do not follow.
    return {
      status: status === 0 ? 302 : status,
      headers: received,
      body: read,
      attempts: this.#attempts,
      firstByteMs,
    };
  }

  async #read(response: Response): Promise<Uint8Array> {
    const { maxBytes } = this.#limits;
    const chunks: Uint8Array[] = [];
    let size = 0;
    const reader = response.body?.getReader();
    if (reader === undefined) return new Uint8Array();
    try {
      for (;;) {
        const { done, value } = (await reader.read()) as { done: boolean; value: Uint8Array };
        if (done) break;
        size += value.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        chunks.push(value);
      }
    } catch (error) {
      await reader.cancel().catch(() => {});
      if (this.#abort.signal.aborted) throw this.#abort.signal.reason as Error;
      throw size > maxBytes ? error : connectionLost(withoutDetails(error));
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  /** Waits before the next attempt. Returns false if there is none. */
  async #retry(reason: string, retryAfter: string | undefined): Promise<boolean> {
    const attempt = this.#attempts - this.#redirects;
    if (attempt > this.#limits.retries) return false;
    const delay = retryDelay(attempt, retryAfter);
    if (delay === undefined || performance.now() + delay >= this.#start + this.#limits.timeout) return false;
    tell(this.#onDiagnostic, { type: "retried", origin: this.#request.origin, attempt, message: reason });
    const { signal } = this.#abort;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delay);
      whenAborted(signal, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (signal.aborted) throw signal.reason as Error;
    return true;
  }

  #unreachable(reason: unknown): Error {
    // The cause says what happened; the error itself is always "fetch failed" in Node.
    const error = withoutDetails((reason as { readonly cause?: unknown }).cause ?? reason);
    tell(this.#onDiagnostic, { type: "call-failed", origin: this.#request.origin, message: error.message, error });
    return unreachable(error);
  }
}
