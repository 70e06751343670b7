import { expectLimit } from "@toolwire/protocol/internal";
import type { Dispatcher, Pool } from "undici";
import { decodeUtf8 } from "../decode-utf8.ts";
import type { HttpBackend, HttpRequest, ResponseSink, SentRequest } from "./backend.ts";
import { explainSendFailure, HttpStatusError, withoutSecrets } from "./errors.ts";
import type { HttpTransportOptions } from "./options.ts";

/** Makes the backend of Node: kept-alive connections of undici's pool, several times faster than `fetch`. */
export function createPlatformBackend(options: HttpTransportOptions): HttpBackend {
  return new UndiciBackend(options);
}

/** How many connections may be left to streams that no call waits for, and which part of all connections at most. */
const MAX_SPARE = 4;
const SPARE_PART = 1 / 4;

/** The class of undici's pools, once it is loaded. Modules are loaded once, so all backends share it. */
let LoadedPool: typeof Pool | undefined;

/** Loads undici with the first request: that takes long, and clients that start programs never need it. */
async function loadUndici(): Promise<void> {
  LoadedPool = (await import("undici")).Pool;
}

class UndiciBackend implements HttpBackend {
  readonly spareConnections: number;
  readonly decode = decodeUtf8;
  readonly #connect: HttpTransportOptions["connect"];
  readonly #pools = new Map<string, Pool>();
  readonly #limit: number;
  /** How many requests have a connection of the pool for calls. */
  #busy = 0;
  /** Requests that wait for such a connection, and how many of them were aborted since. */
  #queue: UndiciRequest[] = [];
  #abortedInQueue = 0;
  /** How many connections have delivered a whole response, but cannot be used again before the next turn. */
  #freeing = 0;
  /** Requests that wait for one of those connections. */
  readonly #waitingForTurn: UndiciRequest[] = [];
  /** The parts of the URL that was used last: reading them from a `URL` takes longer than a lookup. */
  #lastUrl: URL | undefined;
  #lastOrigin = "";
  #lastPath = "";
  readonly #freed = (): void => {
    this.#freeing -= 1;
    const next = this.#waitingForTurn.shift();
    if (next !== undefined) this.#dispatch(next);
  };

  constructor({ connections, connect }: HttpTransportOptions) {
    this.#connect = connect;
    this.#limit = expectLimit("connections", connections, 128);
    this.spareConnections = Math.min(MAX_SPARE, Math.floor(this.#limit * SPARE_PART));
  }

  send(request: HttpRequest, sink: ResponseSink): SentRequest {
    const sent = new UndiciRequest(request, sink, this);
    // Requests wait here rather than in undici, which opens a connection even for those that were aborted in its queue.
    if (!request.unqueued && this.#busy >= this.#limit) {
      sent.isQueued = true;
      this.#queue.push(sent);
    } else this.#start(sent);
    return sent;
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** A request needs its connection no longer: the next one in the queue is sent. */
  released({ request }: UndiciRequest): void {
    if (request.unqueued) return;
    this.#busy -= 1;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      next.isQueued = false;
      if (!next.isAborted) return this.#start(next);
      this.#abortedInQueue -= 1;
    }
  }

  /** A request in the queue was aborted. It is taken out with others like it: searching for each one takes too long. */
  abortedInQueue(): void {
    this.#abortedInQueue += 1;
    if (this.#abortedInQueue * 2 < this.#queue.length) return;
    this.#queue = this.#queue.filter(({ isAborted }) => !isAborted);
    this.#abortedInQueue = 0;
  }

  /**
   * A response is complete. undici can use its connection again only after another turn of the event loop, so the next
   * request, which often follows at once, would open a new connection, and there would be twice as many as calls. It
   * waits for that turn instead. The microtask makes this timer come after that of undici.
   */
  responseEnded(): void {
    this.#freeing += 1;
    queueMicrotask(() => setImmediate(this.#freed));
  }

  #start(sent: UndiciRequest): void {
    if (!sent.request.unqueued) this.#busy += 1;
    if (LoadedPool === undefined) {
      loadUndici().then(
        () => this.#dispatch(sent),
        (error: unknown) => sent.onResponseError(undefined, error as Error),
      );
    } else if (this.#freeing > this.#waitingForTurn.length) this.#waitingForTurn.push(sent);
    else this.#dispatch(sent);
  }

  #dispatch(sent: UndiciRequest): void {
    if (sent.isAborted) {
      sent.release();
      return;
    }
    const { url, method, headers, body, unqueued } = sent.request;
    if (url !== this.#lastUrl) {
      this.#lastUrl = url;
      this.#lastOrigin = url.origin;
      this.#lastPath = url.pathname + url.search;
    }
    // undici decodes no content coding, and a server may compress for clients that do not say otherwise.
    headers["accept-encoding"] ??= "identity";
    const options = { path: this.#lastPath, method, headers, body: body ?? null };
    this.#findPool(this.#lastOrigin, unqueued).dispatch(options, sent);
  }

  /** Finds a pool. Unqueued requests have one without a limit: open streams would take all connections from calls. */
  #findPool(origin: string, unqueued: boolean): Pool {
    const key = unqueued ? `${origin} unqueued` : origin;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new LoadedPool!(origin, {
        connections: unqueued || this.#limit === Infinity ? null : this.#limit,
        pipelining: 1,
        // Calls have time limits of their own, which know about progress; streams may be silent for any time.
        headersTimeout: 0,
        bodyTimeout: 0,
        ...(this.#connect !== undefined && { connect: this.#connect as NonNullable<Pool.Options["connect"]> }),
      });
      this.#pools.set(key, pool);
    }
    return pool;
  }
}

/** One request and its response, as undici reports on it. */
class UndiciRequest implements SentRequest, Dispatcher.DispatchHandler {
  readonly request: HttpRequest;
  /** Set by the backend while the request waits in its queue. */
  isQueued = false;
  isAborted = false;
  #isReleased = false;
  readonly #sink: ResponseSink;
  readonly #backend: UndiciBackend;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(request: HttpRequest, sink: ResponseSink, backend: UndiciBackend) {
    this.request = request;
    this.#sink = sink;
    this.#backend = backend;
  }

  get mayBeSent(): boolean {
    return this.#controller !== undefined;
  }

  abort(): void {
    const isFirst = !this.isAborted;
    this.isAborted = true;
    if (this.isQueued && isFirst) this.#backend.abortedInQueue();
    this.#controller?.abort(new Error("aborted"));
  }

  pause(next: () => void): void {
    this.#controller?.pause();
    setImmediate(next);
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isAborted) controller.abort(new Error("aborted"));
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (this.isAborted || status < 200) return;
    const coding = headers["content-encoding"];
    if (coding !== undefined && coding !== "identity" && status < 300) {
      this.abort();
      this.#sink.failed(codingError(status, this.request.url, String(coding)));
      return;
    }
    this.#sink.head(status, (name) => {
      const value = headers[name];
      return typeof value === "object" ? value.join(", ") : value;
    });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (!this.isAborted) this.#sink.chunk(chunk);
  }

  onResponseEnd(): void {
    this.#backend.responseEnded();
    this.release();
    if (!this.isAborted) this.#sink.end();
  }

  onResponseError(_: unknown, cause: Error): void {
    this.release();
    if (!this.isAborted) this.#sink.failed(explainSendFailure(this.request, cause, this.#controller !== undefined));
  }

  /** Gives the connection back, once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#backend.released(this);
  }
}

function codingError(status: number, url: URL, coding: string): HttpStatusError {
  const place = withoutSecrets(url);
  const message = `${place} answered in the content coding ${coding.slice(0, 100)}, though it was asked for none.`;
  return new HttpStatusError(status, `${message} Turn compression off there, or give \`fetch\`, which can decode it.`);
}
