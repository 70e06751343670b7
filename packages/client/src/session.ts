import type {
  Exchange,
  Implementation,
  LoggingLevel,
  NotificationMessage,
  Reply,
  RequestMessage,
  TransportError,
} from "@toolwire/protocol";
import { callListener, UnsentError, type CallOptions } from "@toolwire/protocol/internal";
import { cachedCalls, ServerCache } from "./cache/server-cache.ts";
import { Calls, NO_OPTIONS, type LogListener } from "./calls/calls.ts";
import { readLogMessage } from "./calls/results.ts";
import type { FetchOptions, NotifyOptions, RequestOptions } from "./calls/options.ts";
import { Link } from "./connection/link.ts";
import { closeQuietly } from "./connection/open.ts";
import type { Wire } from "./connection/wire.ts";
import { guarded, type DiagnosticListener } from "./diagnostics.ts";
import { refusalOf } from "./check-options.ts";
import { isGuessedLoss } from "./calls/recovery.ts";
import { Inputs } from "./input/handlers.ts";
import type { Passage, Sends } from "./middleware/run-middleware.ts";
import { revisionsToOffer, type Agreement } from "./connection/agreement.ts";
import { sharedMemory } from "./connection/server-memory.ts";
import type { ConnectOptions } from "./options.ts";
import type { ChangeFilter } from "./subscriptions/filter.ts";
import type { ChangeListener, KeptSubscription, Subscription } from "./subscriptions/subscription.ts";
import type { Endpoint } from "./target/endpoint.ts";
import { ToolCatalog } from "./catalog/catalog.ts";
import { VERSION } from "./version.ts";
import { inTime } from "./waiting.ts";

/** How a client presents itself whose application does not say who it is. */
const ANONYMOUS: Implementation = { name: "@toolwire/client", version: VERSION };

/** One server and everything the client knows and keeps of it, across as many connections as it takes. */
export class Session {
  readonly #options: ConnectOptions;
  readonly #diagnose: DiagnosticListener;
  readonly #link: Link;
  readonly #inputs: Inputs;
  readonly #calls: Calls;
  /** The same for what may be in the cache. */
  readonly #cached: Sends;
  readonly #catalog: ToolCatalog;
  readonly #cache: ServerCache | undefined;
  readonly #subscriptions = new Set<KeptSubscription>();
  /** Where calls go through, if there is middleware. */
  #passage: Passage | undefined;

  constructor(endpoint: Endpoint, options: ConnectOptions) {
    const {
      memory = sharedMemory,
      cache = {},
      validate = true,
      timeout = 60_000,
      connectTimeout = 60_000,
      probeTimeout = 2_000,
      // For all sendings of a call together, so that it must not be left to each of them.
      maxTimeout = Math.max(600_000, timeout),
      reconnect,
    } = options;
    const times = { timeout, maxTimeout };
    this.#options = options;
    this.#diagnose = guarded(options.onDiagnostic);
    this.#inputs = new Inputs(options, options.capabilities);
    this.#catalog = new ToolCatalog(this.#diagnose);
    const mayVary = typeof options.headers === "function" || options.fetch !== undefined;
    this.#cache = cache ? new ServerCache(endpoint.identity, cache, mayVary) : undefined;
    this.#link = new Link({
      endpoint,
      memory,
      terms: {
        info: options.info ?? ANONYMOUS,
        capabilities: this.#inputs.capabilities,
        revisions: revisionsToOffer(options.revision, options.era),
        probeTimeout,
      },
      callerOptions: times,
      connectTimeout,
      reconnect,
      diagnose: this.#diagnose,
      request: (wire, request, reply, behalf) => this.#answer(wire, request, reply, behalf),
      notification: (message) => this.#hear(message),
      missed: () => this.#catchUp(),
      reconnected: () => this.#startOver(),
    });
    this.#calls = new Calls({
      link: this.#link,
      inputs: this.#inputs,
      catalog: this.#catalog,
      validate,
      validator: options.validator,
      onLog: options.onLog,
      maxRounds: options.maxRounds ?? 10,
      times,
      hear: (message, listeners) => this.#hear(message, listeners),
    });
    this.#cached = this.#cache ? cachedCalls(this.#cache, this.#calls) : this.#calls;
  }

  async connect(): Promise<void> {
    const { logLevel, signal, connectTimeout: timeout, middleware = [] } = this.#options;
    if (middleware.length > 0) {
      const passage = await import("./parts/later.ts");
      this.#passage = new passage.Passage(middleware, this.#link, this.#catalog, this.#calls);
    }
    await this.#link.connect(signal);
    await this.#sendLogLevel(logLevel, { signal, timeout });
    if (!signal?.aborted) return;
    void closeQuietly(this);
    throw signal.reason;
  }

  /** What was agreed on last; it outlives the connection. */
  get agreement(): Agreement {
    return this.#link.agreement!;
  }

  get closed(): Promise<Error | undefined> {
    return this.#link.closed;
  }

  /** Whether the server can be asked for roots, which it may want to know the changes of. */
  get hasRoots(): boolean {
    return this.#inputs.capabilities.roots !== undefined;
  }

  /** Sends a request, through all middleware, and resolves to its final result. */
  call(
    method: string,
    params: object | undefined,
    options: RequestOptions = NO_OPTIONS,
    calls: Sends = this.#calls,
  ): Promise<object> {
    // Before anything is begun by them: a timer takes what is no limit for a moment.
    if (options !== NO_OPTIONS) {
      const refusal = refusalOf({ ...options, options });
      if (refusal) return refusal;
    }
    const sent = options._meta ? { ...params, _meta: options._meta } : params;
    return this.#passage?.send(calls, method, sent, options) ?? calls.send(method, sent, options);
  }

  /** The same for a result that may be in the cache. */
  fetch(method: string, params: object, options?: FetchOptions): Promise<object> {
    return this.call(method, params, options, this.#cached);
  }

  notify(method: string, params: object | undefined, options: NotifyOptions = {}): Promise<void> {
    const { signal, timeout = this.#calls.times.timeout } = options;
    return inTime(timeout, `${method} was not sent in time.`, [signal], async () => {
      const connection = this.#link.current ?? (await this.#link.ready());
      try {
        await connection.notify(method, params);
      } catch (error) {
        const isUnsent = error instanceof UnsentError && this.#link.current !== connection;
        const isExpired = (error as TransportError).code === "SESSION_EXPIRED";
        if (!isUnsent && !isExpired) throw this.#link.explain(error);
        const renewed = await (isUnsent ? this.#link.ready() : this.#link.renew(connection));
        // A server that has forgotten the session has not looked at it; one that only seems to have may have done so.
        if (isGuessedLoss(error)) throw error.cause;
        await renewed.notify(method, params);
      }
    });
  }

  async subscribe(filter: ChangeFilter, listener: ChangeListener): Promise<Subscription> {
    const subscriptions = await import("./parts/later.ts");
    const subscription = new subscriptions.KeptSubscription({
      link: this.#link,
      filter,
      listener,
      timeout: this.#calls.times.timeout,
      reconnect: this.#options.reconnect,
      hear: (message) => this.#hear(message, [this.#options.onLog]),
      tell: (change) => this.#tell("a change", () => listener(change)),
      missed: () => this.#forget(),
    });
    this.#subscriptions.add(subscription);
    void subscription.closed.then(() => this.#subscriptions.delete(subscription));
    return subscription.start();
  }

  /** Modern servers are told with every request, legacy servers once per connection. */
  async setLogLevel(level: LoggingLevel): Promise<void> {
    if (this.agreement.era === "legacy") await this.call("logging/setLevel", { level });
    this.#calls.logLevel = level;
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #answer(wire: Wire, request: RequestMessage, reply: Reply, behalf?: RequestMessage): Exchange {
    const stop = new AbortController();
    import("./parts/legacy.ts")
      .then(({ answerPush }) =>
        answerPush(wire, request, reply, behalf, this.#inputs, stop, this.#link.over, this.#diagnose),
      )
      .catch((error: unknown) => this.#diagnose({ level: "error", message: "No answer was sent.", error }));
    return { cancel: (reason) => stop.abort(new DOMException(reason ?? "The server gave up.", "AbortError")) };
  }

  /** `listeners` hear it if it is a log message: everybody who listens, unless it is known whose it is. */
  #hear(message: NotificationMessage, listeners?: readonly (LogListener | undefined)[]): void {
    const { method, params } = message;
    if (method === "notifications/tools/list_changed") this.#catalog.forget();
    else if (method === "notifications/elicitation/complete") {
      this.#inputs.pages?.complete((params as { readonly elicitationId?: unknown } | undefined)?.elicitationId);
    }
    // What a resource is named by is the word of the server, and may be nested too deeply to be put into words.
    this.#tell(method, () => this.#cache?.hear(message));
    // Modern servers say to which subscription a change belongs, and it has been delivered there.
    if (this.#link.agreement?.era === "legacy") {
      for (const subscription of this.#subscriptions) subscription.announce(message);
    }
    const log = readLogMessage(message);
    if (log !== undefined) {
      for (const listener of listeners ?? this.#calls.logListeners()) this.#tell(method, () => listener?.(log));
    }
    this.#tell(method, () => this.#options.onNotification?.(message));
  }

  /** Neither the transport nor other listeners are to suffer for what one of them does. */
  #tell(what: string, listener: () => unknown): void {
    callListener(listener, (error) =>
      this.#diagnose({ level: "error", message: `A listener failed at ${what}: ${String(error)}`, error }),
    );
  }

  /** The server may have announced changes that nobody could hear. */
  #catchUp(): void {
    this.#forget();
    for (const subscription of this.#subscriptions) subscription.catchUp();
  }

  /** Whatever is known of what the server has may be outdated. */
  #forget(): void {
    this.#cache?.drop();
    this.#catalog.forget();
  }

  /** The server may not be the one it was. */
  #startOver(): void {
    this.#forget();
    void this.#sendLogLevel(this.#calls.logLevel, { signal: this.#link.over });
  }

  /** Tells a server from which severity on to log, if it has logs. It is of use without them, too. */
  async #sendLogLevel(level: LoggingLevel | undefined, options: CallOptions): Promise<void> {
    const { era, capabilities } = this.agreement;
    if (level === undefined || capabilities.logging === undefined) return;
    this.#calls.logLevel = level;
    if (era !== "legacy") return;
    const { sendLogLevel } = await import("./parts/legacy.ts");
    await sendLogLevel(this.#link.current, level, options, this.#diagnose);
  }
}
