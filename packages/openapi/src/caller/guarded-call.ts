/** One call through undici: its attempts, its deadline, its response. */
import { type Deadlined, type Deadlines, whenAborted } from "@toolwire/protocol/internal";
import type { AbortListener } from "@toolwire/server";
import type { Dispatcher } from "undici";
import { ACCEPTED_CODINGS, decodeBody, DecodeError } from "./decompress.ts";
import { type OnHttpDiagnostic, tell } from "./diagnostics.ts";
import {
  addressRefused,
  busy,
  cancelled,
  connectionLost,
  timedOut,
  tooLarge,
  undecodable,
  unreachable,
  withoutDetails,
} from "./errors.ts";
import { AddressRefused } from "./guarded-connector.ts";
import type { HttpRequest, HttpResponse, SendOptions } from "./http-caller.ts";
import type { CheckedCallerOptions } from "./options.ts";
import type { OriginPool, PooledRequest } from "./origin-pool.ts";
import { findRedirect } from "./redirect.ts";
import { isRepeatable, isTemporary, retryDelay } from "./retry.ts";

/** Errors of connections that may not happen again. */
const PASSING =
  /^(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT)$/;

type ReceivedHeaders = { readonly [name: string]: string | string[] | undefined };

/** A call: undici's handler of its attempts, one after the other. */
export class GuardedCall implements PooledRequest, Deadlined, AbortListener {
  /** See `Deadlined`. */
  deadline = 0;
  slot: number | undefined = undefined;
  isOver = false;
  dispatchOptions: Dispatcher.DispatchOptions;
  readonly #request: HttpRequest;
  readonly #limits: SendOptions;
  readonly #options: CheckedCallerOptions;
  readonly #pool: OriginPool;
  readonly #deadlines: Deadlines;
  readonly #onDiagnostic: OnHttpDiagnostic;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #start = performance.now();
  #stopListening: (() => void) | undefined;
  #attempts = 0;
  #redirects = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** The controller of the attempt that is under way. */
  #controller: Dispatcher.DispatchController | undefined;
  #holdsConnection = false;
  #status = 0;
  #headers: ReceivedHeaders = {};
  #firstByteMs = 0;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    request: HttpRequest,
    limits: SendOptions,
    options: CheckedCallerOptions,
    pool: OriginPool,
    deadlines: Deadlines,
    onDiagnostic: OnHttpDiagnostic,
    resolve: (response: HttpResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#options = options;
    this.#pool = pool;
    this.#deadlines = deadlines;
    this.#onDiagnostic = onDiagnostic;
    this.#resolve = resolve;
    this.#reject = reject;
    const { method, path, headers, body } = request;
    headers["accept-encoding"] = options.compression ? ACCEPTED_CODINGS : "identity";
    this.dispatchOptions = { method, path, headers, body: body ?? null };
  }

  start(): void {
    const { signal, cancellation } = this.#limits;
    if (signal !== undefined) this.#stopListening = whenAborted(signal, () => this.aborted(signal.reason));
    cancellation?.onAbort(this);
    if (!this.isOver) this.#send();
  }

  /** The caller does not wait for the response any more. */
  aborted(reason: unknown): void {
    this.#fail(cancelled(reason));
  }

  // The handler of undici.

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isOver) controller.abort(new Error("The call is over."));
  }

  onResponseStart(_: unknown, status: number, headers: ReceivedHeaders): void {
    // 1xx comes before the response.
    if (this.isOver || status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#firstByteMs = performance.now() - this.#start;
    this.deadline = this.#start + this.#limits.timeout;
    if (Number(headers["content-length"]) > this.#limits.maxBytes && this.#request.method !== "HEAD") {
      this.#fail(tooLarge(this.#limits.maxBytes));
    }
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.isOver) return;
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBytes) this.#fail(tooLarge(this.#limits.maxBytes));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#pool.responseEnded();
    this.#release();
    if (this.isOver || this.#follow()) return;
    if (isTemporary(this.#status) && isRepeatable(this.#request.method)) {
      if (this.#retry(`status ${this.#status}`, this.#header("retry-after"))) return;
    }
    this.#finish();
  }

  onResponseError(_: unknown, error: Error): void {
    this.failed(error);
  }

  failed(reason: Error): void {
    this.#release();
    if (this.isOver) return;
    if (reason instanceof AddressRefused) return this.#fail(addressRefused());
    const error = withoutDetails(reason);
    const isSent = this.#controller !== undefined;
    const mayRepeat = !isSent || (isRepeatable(this.#request.method) && this.#status === 0);
    const { code = "", message } = error;
    if (mayRepeat && PASSING.test(code) && this.#retry(message, undefined)) return;
    tell(this.#onDiagnostic, { type: "call-failed", origin: this.#request.origin, message, error });
    this.#fail(isSent ? connectionLost(error) : unreachable(error));
  }

  /** The time for the call, or for the beginning of its response, is over. */
  expire(): void {
    const isWhole = this.deadline >= this.#start + this.#limits.timeout;
    this.#fail(timedOut(isWhole ? this.#limits.timeout : this.#options.firstByteTimeout));
  }

  #send(): void {
    this.#attempts += 1;
    this.#controller = undefined;
    this.#status = 0;
    this.#chunks = [];
    this.#size = 0;
    const whole = this.#start + this.#limits.timeout;
    this.deadline = Math.min(whole, performance.now() + this.#options.firstByteTimeout);
    this.#deadlines.add(this);
    this.#holdsConnection = true;
    if (this.#pool.send(this)) return;
    this.#holdsConnection = false;
    this.#fail(busy());
  }

  /** Follows a redirect, if that is allowed. The origin stays the same, and so may the credentials. */
  #follow(): boolean {
    if (this.#options.maxRedirects <= this.#redirects) return false;
    const { origin, method } = this.#request;
    const path = findRedirect(method, origin, this.dispatchOptions.path, this.#status, this.#header("location"));
    if (path === undefined) return false;
    this.#redirects += 1;
    this.dispatchOptions = { ...this.dispatchOptions, path };
    this.#deadlines.delete(this);
    this.#send();
    return true;
  }

  /** Sends the request again after a while. Returns false if that is not allowed, or too late. */
  #retry(reason: string, retryAfter: string | undefined): boolean {
    const attempt = this.#attempts - this.#redirects;
    if (attempt > this.#limits.retries) return false;
    const delay = retryDelay(attempt, retryAfter);
    if (delay === undefined || performance.now() + delay >= this.#start + this.#limits.timeout) return false;
    this.#deadlines.delete(this);
    this.#retryTimer = setTimeout(() => this.#send(), delay);
    // Last, because the listener may cancel the call.
    tell(this.#onDiagnostic, { type: "retried", origin: this.#request.origin, attempt, message: reason });
    return true;
  }

  #finish(): void {
    const [first, ...others] = this.#chunks;
    const body = first === undefined || others.length > 0 ? Buffer.concat(this.#chunks, this.#size) : first;
    try {
      const decoded = decodeBody(body, this.#header("content-encoding"), this.#limits.maxBytes);
      if (decoded instanceof Uint8Array) return this.#succeed(decoded);
      decoded.then(
        (bytes) => this.#succeed(bytes),
        (error: unknown) => this.#failDecoding(error),
      );
    } catch (error) {
      this.#failDecoding(error);
    }
  }

  #failDecoding(error: unknown): void {
    const isTooLarge = error instanceof DecodeError && error.isTooLarge;
    this.#fail(isTooLarge ? tooLarge(this.#limits.maxBytes) : undecodable(withoutDetails(error)));
  }

  #succeed(body: Uint8Array): void {
    if (this.isOver) return;
    this.#end();
    this.#resolve({
      status: this.#status,
      headers: joinHeaders(this.#headers),
      body,
      attempts: this.#attempts,
      firstByteMs: this.#firstByteMs,
    });
  }

  #fail(error: Error): void {
    if (this.isOver) return;
    this.#end();
    if (this.#holdsConnection && this.#pool.giveUp(this)) this.#holdsConnection = false;
    // Closes the connection, which is how an API learns that nobody waits for its response.
    this.#controller?.abort(error);
    this.#reject(error);
  }

  #end(): void {
    this.isOver = true;
    this.#deadlines.delete(this);
    this.#stopListening?.();
    this.#limits.cancellation?.offAbort(this);
    if (this.#retryTimer !== undefined) clearTimeout(this.#retryTimer);
  }

  /** Gives the connection back, once for each attempt. */
  #release(): void {
    if (!this.#holdsConnection) return;
    this.#holdsConnection = false;
    this.#pool.released();
  }

  #header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }
}

/** Headers that came several times are joined (RFC 9110, section 5.3). */
function joinHeaders(headers: ReceivedHeaders): { [name: string]: string } {
  const joined: { [name: string]: string } = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ");
  }
  return joined;
}
