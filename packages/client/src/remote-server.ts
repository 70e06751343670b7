import type {
  CallToolParams,
  ClientCapabilities,
  Exchange,
  Implementation,
  JsonValue,
  LoggingLevel,
  NotificationMessage,
  Reply,
  RequestMessage,
  Revision,
} from "@toolwire/protocol";
import { callListener, UnsentError, type CallOptions } from "@toolwire/protocol/internal";
import { cachedCalls, ServerCache } from "./cache/server-cache.ts";
import type { FetchOptions, NotifyOptions, RequestOptions } from "./call-options.ts";
import { Calls, type CallSender, type LogListener, NO_OPTIONS } from "./calls/calls.ts";
import { ToolCatalog } from "./catalog/catalog.ts";
import { findMistake } from "./check-options.ts";
import { Link } from "./connection/link.ts";
import type { OpenTransport } from "./connection/open-transport.ts";
import { closeQuietly } from "./connection/open.ts";
import { type DiagnosticListener, guarded } from "./diagnostics.ts";
import { type Agreement, type ClientEra, revisionsToOffer } from "./eras/era.ts";
import { sharedMemory } from "./eras/server-memory.ts";
import { createExtensionClient } from "./extension-client.ts";
import type { ClientExtension, ExtensionClient, ExtensionSubscription, TopicListener } from "./extensions/extension.ts";
import { ExtensionSet } from "./extensions/extension-set.ts";
import { GuardedObserver, type ObservedPlace } from "./guarded-observer.ts";
import { Inputs } from "./input/handlers.ts";
import type { ChangeFilter } from "./messages/changes.ts";
import { readLogMessage } from "./messages/results.ts";
import { MiddlewareChain } from "./middleware/middleware.ts";
import type { ConnectOptions } from "./options.ts";
import { type ChangeListener, KeptSubscription, type Subscription } from "./subscriptions/subscription.ts";
import { TopicSubscription } from "./subscriptions/topic-subscription.ts";
import type { Endpoint } from "./target/endpoint.ts";
import type { ClientAuth } from "./transports/client-auth.ts";
import { isPossibleSessionLoss, isSessionLoss } from "./transports/refusal.ts";
import { VERSION } from "./version.ts";
import { inTime } from "./waiting.ts";

/** The name and version that servers see unless the application gives its own. */
const DEFAULT_INFO: Implementation = { name: "@toolwire/client", version: VERSION };

/** The place of a server behind a transport of the application's own. */
const NO_PLACE: ObservedPlace = { binding: undefined };

/** One server, and everything that the client knows and keeps of it across connections. */
export class RemoteServer {
  readonly #options: ConnectOptions;
  readonly #diagnose: DiagnosticListener;
  readonly #link: Link;
  readonly #inputs: Inputs;
  /** The extensions that the application supports; `undefined` if there are none. */
  readonly #extensions: ExtensionSet | undefined;
  readonly #calls: Calls;
  /** Sends requests whose results may be in the cache. */
  readonly #cached: CallSender;
  readonly #catalog: ToolCatalog;
  readonly #cache: ServerCache | undefined;
  readonly #subscriptions = new Set<KeptSubscription>();
  /** Sees what is sent, if anybody does. */
  readonly #observer: GuardedObserver | undefined;
  /** The middleware around all calls, if there is any. */
  readonly #middleware: MiddlewareChain | undefined;

  constructor(endpoint: Endpoint, eras: readonly ClientEra[], options: ConnectOptions) {
    const {
      memory = sharedMemory,
      cache = {},
      validate = true,
      timeout = 60_000,
      connectTimeout = 60_000,
      probeTimeout = 2_000,
      // It limits all sendings of a call together, so the default is not left to each of them.
      maxTimeout = Math.max(600_000, timeout),
      reconnect,
      middleware = [],
      extensions = [],
    } = options;
    const { pausedTime } = endpoint;
    const times = { timeout, maxTimeout, pausedTime };
    this.#options = options;
    this.#diagnose = guarded(options.onDiagnostic);
    this.#inputs = new Inputs(options, withExtensions(options));
    if (extensions.length > 0) {
      const createClient = (extension: ClientExtension): ExtensionClient =>
        this.#createExtensionClient(extension, endpoint);
      this.#extensions = new ExtensionSet(extensions, createClient);
    }
    this.#catalog = new ToolCatalog(this.#diagnose);
    this.#watchAccount(endpoint, options.auth);
    const { headers, fetch } = options.http ?? {};
    const mayVary = typeof headers === "function" || fetch !== undefined;
    this.#cache = cache ? new ServerCache(endpoint.identity, cache, mayVary) : undefined;
    const { observe } = options;
    const observer = observe && new GuardedObserver(observe, endpoint.place ?? NO_PLACE, this.#diagnose);
    this.#observer = observer;
    this.#link = new Link({
      endpoint,
      eras,
      memory,
      terms: {
        info: options.info ?? DEFAULT_INFO,
        capabilitiesIn: (revision) => this.#capabilitiesIn(revision),
        revisions: revisionsToOffer(eras, options.revision, options.era),
        probeTimeout,
        pausedTime,
      },
      callerOptions: { ...times, observer },
      connectTimeout,
      reconnect,
      diagnose: this.#diagnose,
      request: (transport, request, reply, behalf) => this.#answer(eras, transport, request, reply, behalf),
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
      extensions: this.#extensions,
      observer,
      onLog: options.onLog,
      maxRounds: options.maxRounds ?? 10,
      times,
      hear: (message, listeners) => this.#hear(message, listeners),
    });
    this.#cached = this.#cache ? cachedCalls(this.#cache, this.#calls) : this.#calls;
    if (middleware.length > 0) {
      this.#middleware = new MiddlewareChain(middleware, this.#link, this.#catalog, this.#calls);
    }
  }

  async connect(): Promise<void> {
    const { logLevel, signal, connectTimeout: timeout } = this.#options;
    await this.#link.connect(signal);
    const session = this.#observer?.session(this.agreement);
    if (session !== undefined) void this.closed.then((error) => session.end(error));
    await this.#sendLogLevel(logLevel, { signal, timeout });
    if (!signal?.aborted) return;
    void closeQuietly(this);
    throw signal.reason;
  }

  /** The latest agreement, which outlives the connection. */
  get agreement(): Agreement {
    return this.#link.agreement!;
  }

  get closed(): Promise<Error | undefined> {
    return this.#link.closed;
  }

  /** Whether servers can ask for roots. */
  get hasRoots(): boolean {
    return this.#inputs.capabilities.roots !== undefined;
  }

  /** Sends a request, through all middleware, and resolves to its final result. */
  call(
    method: string,
    params: object | undefined,
    options: RequestOptions = NO_OPTIONS,
    calls: CallSender = this.#calls,
  ): Promise<object> {
    const extensions = this.#extensions;
    if (method !== "tools/call" || extensions?.hasAround !== true) return this.#request(method, params, options, calls);
    return extensions.around(params as CallToolParams, options, (now, given) =>
      this.#request(method, now, given, calls),
    );
  }

  /** Sends a request through all middleware. */
  #request(
    method: string,
    params: object | undefined,
    options: RequestOptions,
    calls: CallSender = this.#calls,
  ): Promise<object> {
    const mistake = this.#findMistake(method, options);
    if (mistake !== undefined) return Promise.reject(mistake);
    const sent = options._meta ? { ...params, _meta: options._meta } : params;
    return this.#middleware?.send(calls, method, sent, options) ?? calls.send(method, sent, options);
  }

  #findMistake(method: string, options: RequestOptions): Error | undefined {
    // Before any of them is used: a timer would take an invalid limit for 0.
    const mistake = options === NO_OPTIONS ? undefined : findMistake({ ...options, options });
    return mistake ?? this.#extensions?.refusalOf(method, this.agreement);
  }

  /** The same for a result that may be in the cache. */
  fetch(method: string, params: object, options?: FetchOptions): Promise<object> {
    return this.call(method, params, options, this.#cached);
  }

  notify(method: string, params: object | undefined, options: NotifyOptions = {}): Promise<void> {
    const { times } = this.#calls;
    const { signal, timeout = times.timeout } = options;
    const send = async (): Promise<void> => {
      const connection = this.#link.current ?? (await this.#link.ready());
      try {
        await connection.notify(method, params);
      } catch (error) {
        const isUnsent = error instanceof UnsentError && this.#link.current !== connection;
        if (!isUnsent && !isSessionLoss(error)) throw this.#link.explain(error);
        const renewed = await (isUnsent ? this.#link.ready() : this.#link.renew(connection));
        // Unless the session is certainly lost, the server may have acted on the notification.
        if (isPossibleSessionLoss(error)) throw error.cause;
        await renewed.notify(method, params);
      }
    };
    return inTime(timeout, `${method} was not sent in time.`, [signal], send, false, times.pausedTime);
  }

  async subscribe(filter: ChangeFilter, listener: ChangeListener): Promise<Subscription> {
    const subscription = new KeptSubscription({
      link: this.#link,
      filter,
      listener,
      timeout: this.#calls.times.timeout,
      reconnect: this.#options.reconnect,
      notification: (message) => this.#hear(message, [this.#options.onLog]),
      tell: (change) => this.#tell("a change", () => listener(change)),
      missed: () => this.#forget(),
    });
    this.#keep(subscription);
    return subscription.start();
  }

  /** Returns what an extension offers to the application. */
  use<Api extends object | undefined>(extension: ClientExtension<Api>): Api {
    return (this.#extensions ?? new ExtensionSet([], noClient)).use(extension);
  }

  /** Sets the log level: for the connection, or for each request that follows, depending on the era. */
  async setLogLevel(level: LoggingLevel): Promise<void> {
    await this.agreement.era.setLogLevel?.(level, (method, params) => this.call(method, params));
    this.#calls.logLevel = level;
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #keep(subscription: KeptSubscription): void {
    this.#subscriptions.add(subscription);
    void subscription.closed.then(() => this.#subscriptions.delete(subscription));
  }

  async #subscribeTopic(name: string, wanted: JsonValue, listener: TopicListener): Promise<ExtensionSubscription> {
    const subscription = new TopicSubscription(
      {
        link: this.#link,
        timeout: this.#calls.times.timeout,
        reconnect: this.#options.reconnect,
        notification: (message) => this.#hear(message, [this.#options.onLog]),
      },
      { name, wanted, listener, tell: (what, tell) => this.#tell(what, tell) },
    );
    this.#keep(subscription.kept);
    await subscription.kept.start();
    return subscription;
  }

  #createExtensionClient(extension: ClientExtension, { identity }: Endpoint): ExtensionClient {
    return createExtensionClient(extension, {
      link: this.#link,
      calls: this.#calls,
      catalog: this.#catalog,
      inputs: this.#inputs,
      place: identity,
      diagnose: this.#diagnose,
      request: (method, params, options) => this.#request(method, params, options),
      subscribe: (topic, wanted, listener) => this.#subscribeTopic(topic, wanted, listener),
    });
  }

  #capabilitiesIn(revision: Revision): ClientCapabilities {
    const { capabilities } = this.#inputs;
    return this.#extensions?.capabilitiesIn(revision, capabilities) ?? capabilities;
  }

  /** Answers a request of the server, in the agreed era or, before the agreement, in any that may be agreed on. */
  #answer(
    eras: readonly ClientEra[],
    { agreement, caller }: OpenTransport,
    request: RequestMessage,
    reply: Reply,
    behalf?: RequestMessage,
  ): Exchange {
    const stop = new AbortController();
    const era = agreement?.era ?? eras.find((each) => each.answerRequest !== undefined);
    const inputs = this.#inputs;
    const diagnose = this.#diagnose;
    const asked = { request, behalf, agreement, caller, inputs, stop, over: this.#link.over, diagnose };
    const answer = async (to: Reply): Promise<void> => era?.answerRequest?.({ ...asked, reply: to });
    // Later, because the transport has to know the exchange before it is answered.
    Promise.resolve()
      .then(() => this.#observer?.answer(request, reply, agreement, answer) ?? answer(reply))
      .catch((error: unknown) => diagnose({ level: "error", message: "No answer was sent.", error }));
    return { cancel: (reason) => stop.abort(new DOMException(reason ?? "The server gave up.", "AbortError")) };
  }

  /** Handles a notification. Log messages go to `listeners`: to all of the client, unless the call of a message is known. */
  #hear(message: NotificationMessage, listeners?: readonly (LogListener | undefined)[]): void {
    const { method, params } = message;
    if (method === "notifications/tools/list_changed") this.#catalog.forget();
    else if (method === "notifications/elicitation/complete") {
      this.#inputs.pages?.complete((params as { readonly elicitationId?: unknown } | undefined)?.elicitationId);
    }
    // This can fail: the URI of a resource is untrusted, and may be a value that is nested too deeply for a key.
    this.#tell(method, () => this.#cache?.hear(message));
    if (this.#link.agreement?.era.sharesAnnouncements === true) {
      for (const subscription of this.#subscriptions) subscription.announce(message);
    }
    const log = readLogMessage(message);
    if (log !== undefined) {
      for (const listener of listeners ?? this.#calls.logListeners()) this.#tell(method, () => listener?.(log));
    }
    const hear = this.#extensions?.listenerOf(message);
    if (hear !== undefined) this.#tell(method, hear);
    this.#tell(method, () => this.#options.onNotification?.(message));
  }

  /** Calls a listener, and reports its errors: they must not reach the transport or other listeners. */
  #tell(what: string, listener: () => unknown): void {
    callListener(listener, (error) =>
      this.#diagnose({ level: "error", message: `A listener failed at ${what}: ${String(error)}`, error }),
    );
  }

  /** Handles a gap in which announcements of the server may have been lost. */
  #catchUp(): void {
    this.#forget();
    for (const subscription of this.#subscriptions) subscription.catchUp();
  }

  /** Forgets all results and tools, because they may be outdated. */
  #forget(): void {
    this.#cache?.drop();
    this.#catalog.forget();
  }

  /** Forgets all results when requests may be made for another user: the cache may hold private ones. */
  #watchAccount({ authServer }: Endpoint, auth: ClientAuth | undefined): void {
    const unwatch = authServer && auth?.onAccount?.(authServer, () => this.#forget());
    if (unwatch !== undefined) void Promise.resolve().then(() => this.closed.then(unwatch));
  }

  /** Handles a new connection: the server may be another one. */
  #startOver(): void {
    this.#forget();
    void this.#sendLogLevel(this.#calls.logLevel, { signal: this.#link.over });
  }

  /**
   * Sets the log level, if the server has logs. A refusal is reported, because the server is of use without logs. It is sent
   * directly and not as a call with recovery: a server that forgets its sessions at once would be asked for new ones forever.
   */
  async #sendLogLevel(level: LoggingLevel | undefined, options: CallOptions): Promise<void> {
    const { era, capabilities } = this.agreement;
    if (level === undefined || capabilities.logging === undefined) return;
    this.#calls.logLevel = level;
    const connection = this.#link.current;
    if (connection === undefined) return;
    try {
      await era.setLogLevel?.(level, (method, params) => connection.call(method, params, options));
    } catch (error) {
      if (options.signal?.aborted) return;
      this.#diagnose({ level: "warning", message: "The server takes no log level.", error });
    }
  }
}

/** Clients without extensions have nobody to make this for. */
function noClient(): never {
  throw new TypeError("There are no extensions.");
}

/** The capabilities to declare: those of the application, and the extensions of its way to get credentials. */
function withExtensions({ capabilities, auth }: ConnectOptions): ClientCapabilities | undefined {
  if (auth?.extensions === undefined) return capabilities;
  return { ...capabilities, extensions: { ...auth.extensions, ...capabilities?.extensions } };
}
