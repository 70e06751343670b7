import { createClearing } from "@toolwire/protocol/internal";
import { connect, type Client, type ClientOptions, type ConnectOptions, type Tool } from "@toolwire/client";
import { AuthError, type Context } from "@toolwire/server";
import type { UpstreamConfig } from "../config/config.ts";
import { readDuration } from "../config/durations.ts";
import { ToolChanges } from "./accepted-tools.ts";
import { handlersFor, passCompletion } from "./ask-caller.ts";
import { askForLogin } from "./ask-login.ts";
import { AskableLists } from "./askable-lists.ts";
import { KeptConnection } from "./kept-connection.ts";
import { Leases } from "./leases.ts";
import { listAll, RefreshLimit, type UpstreamLists } from "./lists.ts";
import { relay, type RelayedMethod, type RelayTarget } from "./relay.ts";
import { resolveTarget } from "./target.ts";
import { inWholeLines } from "./whole-lines.ts";
import type { UpstreamEvent, UpstreamKind, UpstreamOptions } from "./upstream.ts";
import { ViewCredentials } from "./view-credentials.ts";
import { WatchedResources } from "./watched-resources.ts";

/** How long calls wait without an answer or progress, and in total, unless the configuration says otherwise. */
const CALL_MS = 60_000;
const WHOLE_CALL_MS = 600_000;

/** How long connecting may take, and for how long of it lists wait. */
const CONNECT_MS = 30_000;
const LISTS_WAIT_MS = 5000;
const FAILED_WAIT_MS = 250;

/** After how long the connection of a user who does nothing is closed. */
const USER_IDLE_MS = 10 * 60_000;

/** How old lists may become of an upstream that does not announce changes. */
const LISTS_AGE_MS = 60_000;

/** How many connections legacy servers may take for calls that they could ask something: processes are dear. */
const MAX_PROCESSES = 8;
const MAX_SESSIONS = 64;

/** The parts of an upstream that a view uses. */
export interface ViewOwner {
  readonly name: string;
  readonly kind: UpstreamKind;
  readonly config: UpstreamConfig;
  readonly options: UpstreamOptions;
  report(event: Omit<UpstreamEvent, "upstream">): void;
  /** Takes tools into the host that only some callers see. */
  listedMore(view: UpstreamView, viewer: object, tools: readonly Tool[]): void;
  /** Takes lists into the host. */
  listed(view: UpstreamView, lists: UpstreamLists): Promise<void>;
  /** Hears that the principal has to log in before anything can be listed. */
  needsLogin(view: UpstreamView): void;
  /** Hears that it has failed or recovered: lists of the host change. */
  changedState(view: UpstreamView): void;
  updated(view: UpstreamView, uri: string): void;
}

/** An upstream as one principal sees it, or all of them if they share it: a connection, and what it lists. */
export class UpstreamView implements RelayTarget {
  readonly upstream: string;
  readonly principal: string | undefined;
  readonly connection: KeptConnection;
  readonly leases: Leases;
  readonly timeout: number;
  readonly maxTimeout: number;
  readonly changes: ToolChanges;
  readonly watched: WatchedResources;
  lists: UpstreamLists | undefined;
  /** The client of the current or the last connection. */
  lastClient: Client | undefined;
  /** Why the lists are out of date. */
  #listFailure: Error | undefined;
  #hasFailed = false;
  #announces = false;
  #listedAt = 0;
  /** The principal that used the shared connection first, and whether others have. */
  #firstUser: string | undefined;
  #hasUser = false;
  #isMixed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #owner: ViewOwner;
  readonly #refresh: RefreshLimit;
  readonly #credentials: ViewCredentials;
  readonly #askable: AskableLists;

  constructor(owner: ViewOwner, principal: string | undefined) {
    const { config, options, kind, name } = owner;
    this.#owner = owner;
    this.upstream = name;
    this.principal = principal;
    this.timeout = durationOf(config.timeout) ?? CALL_MS;
    this.maxTimeout = Math.max(WHOLE_CALL_MS, this.timeout);
    this.#credentials = new ViewCredentials(config, options, principal);
    this.connection = new KeptConnection({
      open: (signal) => this.#connect({ signal }),
      idleTimeout: durationOf(config.idleTimeout) ?? (config.perUser === true ? USER_IDLE_MS : Infinity),
      opened: (client) => this.#opened(client),
      failed: (error) => this.#failedToConnect(error),
    });
    this.leases = new Leases({
      upstream: name,
      open: (capabilities, current, signal) =>
        this.#connect({
          ...handlersFor(capabilities, current),
          onNotification: (message) => passCompletion(current(), message),
          era: "legacy",
          signal,
        }),
      max: kind === "stdio" ? MAX_PROCESSES : MAX_SESSIONS,
      secrets: this.#credentials.secrets,
      timeout: this.timeout,
    });
    this.#askable = new AskableLists({
      leases: this.leases,
      listed: (viewer, tools) => owner.listedMore(this, viewer, createClearing(this.secrets).value(tools)),
      failed: (error) => this.failed("It cannot be listed for callers who can be asked", error),
    });
    const store = config.perUser === true ? undefined : options.acceptedTools;
    this.changes = new ToolChanges(store, (error) => this.failed("Accepted tools could not be kept", error));
    this.watched = new WatchedResources(
      this.connection,
      (uri) => owner.updated(this, uri),
      (error) => this.failed("Resources cannot be watched", error),
    );
    this.#refresh = new RefreshLimit(() => this.#list());
  }

  /** Why it is not of use at the moment. */
  get failure(): Error | undefined {
    return this.connection.failure ?? this.#listFailure;
  }

  get secrets(): readonly string[] {
    return this.#credentials.secrets;
  }

  get isLoginPerUser(): boolean {
    return this.principal !== undefined && this.#owner.options.logins !== undefined;
  }

  /** Whether the principal has to log in before it is of use. An admin does that for a login that all share. */
  get needsLogin(): boolean {
    return this.principal !== undefined && isLoginNeeded(this.connection.failure);
  }

  /** Connects and lists if necessary, but does not wait long for a server that does not answer. Never rejects. */
  async ready(): Promise<void> {
    const { connection } = this;
    if (isLoginNeeded(connection.failure) && (await this.#hasOtherLogin())) await this.restart();
    if (this.lists !== undefined && this.failure === undefined) {
      const isOld = !this.#announces && performance.now() - this.#listedAt > LISTS_AGE_MS;
      if (isOld && connection.client !== undefined) this.#refresh.request();
      return;
    }
    if (this.#listFailure !== undefined && connection.client !== undefined) {
      // As often as after announcements: callers cannot make the gateway ask again and again.
      this.#refresh.request();
      return;
    }
    // Lists do not wait again for a server that has failed, but find it as soon as it is back.
    const left = (this.#hasFailed ? FAILED_WAIT_MS : LISTS_WAIT_MS) - connection.openingFor;
    const work = connection.open().then(
      () => this.#refresh.now(),
      () => undefined,
    );
    if (left > 0) await within(left, work);
  }

  /** Lists what only callers who can answer questions see, but does not wait long for it. */
  async prepareFor(ctx: Context): Promise<void> {
    if (this.lists !== undefined) await within(LISTS_WAIT_MS, this.#askable.prepare(this.connection.client, ctx));
  }

  /** The viewers as which a caller sees tools: as all do, and as one that can answer questions. */
  viewersFor(ctx: Context): readonly (object | undefined)[] {
    return [this, this.#askable.viewerFor(ctx)];
  }

  /** All viewers of its tools. */
  get viewers(): readonly object[] {
    return [this, ...this.#askable.viewers];
  }

  /** Relays a request of a caller. */
  send(method: RelayedMethod, params: object, ctx: Context): Promise<object> {
    return relay(this, method, params, ctx);
  }

  /** Asks the principal to log in, with these scopes if a call needs other ones, and waits for it. */
  async logIn(ctx: Context, scopes: readonly string[] | undefined): Promise<void> {
    const { logins } = this.#owner.options;
    if (logins === undefined || this.principal === undefined) return;
    const before = await logins.stateOf(this.principal);
    await askForLogin(ctx, {
      upstream: this.upstream,
      link: () => logins.createLink(this.principal, scopes),
      isDone: async () => {
        const now = await logins.stateOf(this.principal);
        return now !== undefined && now !== before;
      },
    });
    if (this.connection.failure !== undefined) await this.restart();
  }

  /** A login began or ended: connects with the login that there is now. */
  async loginsChanged(): Promise<void> {
    if (!(await this.#hasOtherLogin())) return;
    await this.restart();
    // The lists are those of the account before.
    this.lists = undefined;
    await this.ready();
  }

  noteUser(principal: string | undefined): void {
    if (!this.#hasUser) {
      this.#hasUser = true;
      this.#firstUser = principal;
    } else if (this.#firstUser !== principal) this.#isMixed = true;
  }

  mixesLogs(client: Client): boolean {
    // Over HTTP, a modern server sends the messages of a request as part of its response.
    return this.#isMixed && !(this.#owner.kind === "http" && client.era === "modern");
  }

  failed(message: string, error: unknown): void {
    const detail = error instanceof Error ? `: ${error.message}` : "";
    const text = message.includes(detail) ? message : message + detail;
    this.#owner.report({ level: "warning", message: text, error });
  }

  async restart(): Promise<void> {
    this.#listFailure = undefined;
    this.#credentials.reset();
    await Promise.all([this.connection.restart(), this.leases.reset()]);
  }

  async close(): Promise<void> {
    this.#refresh.stop();
    clearTimeout(this.#retry);
    await Promise.all([this.connection.close(), this.leases.close()]);
  }

  async #connect(given: ConnectOptions): Promise<Client> {
    const owner = this.#owner;
    const { config, options } = owner;
    const { target, options: transport } = await resolveTarget(
      config,
      options,
      this.principal,
      inWholeLines((text) => owner.report({ level: "debug", message: `stderr: ${text}` })),
    );
    this.#credentials.addHidden();
    const auth = await this.#credentials.forConnection();
    const shared: ClientOptions = {
      ...given,
      ...(options.info !== undefined && { info: options.info }),
      connectTimeout: CONNECT_MS,
      timeout: this.timeout,
      maxTimeout: this.maxTimeout,
      // Lists are kept here, results are passed on as they are.
      cache: false,
      validate: false,
      onDiagnostic: (event) => owner.report(event),
    };
    if (typeof target !== "string") return connect(target, shared);
    return connect(target, { ...shared, ...transport, ...(auth !== undefined && { auth }) });
  }

  #hasOtherLogin(): Promise<boolean> {
    return this.#credentials.hasOtherLogin(isLoginNeeded(this.connection.failure));
  }

  #opened(client: Client): void {
    this.lastClient = client;
    this.#askable.changed();
    this.#refresh.request();
    this.watched.resume();
    const { tools, prompts, resources } = client.capabilities;
    const filter = {
      tools: tools?.listChanged === true,
      prompts: prompts?.listChanged === true,
      resources: resources?.listChanged === true,
    };
    this.#announces = false;
    if (!filter.tools && !filter.prompts && !filter.resources) return;
    client
      .subscribe(filter, (change) => {
        if (change.kind === "resource") return;
        this.#askable.changed();
        this.#refresh.request();
      })
      .then(
        () => {
          this.#announces = true;
        },
        (error: unknown) => this.failed("It does not announce changes", error),
      );
  }

  #failedToConnect(error: Error): void {
    if (this.needsLogin) this.#owner.needsLogin(this);
    else this.failed("It cannot be reached", error);
    this.#noteState();
    // A user who is not there is not tried for.
    if (this.principal === undefined) this.#tryLater();
  }

  /** Tries again when it is time to, so that clients hear when its tools are back. Timers may fire a little early. */
  #tryLater(): void {
    clearTimeout(this.#retry);
    const { retryIn } = this.connection;
    this.#retry = setTimeout(() => {
      if (this.connection.retryIn > 0) this.#tryLater();
      else void this.ready();
    }, Math.ceil(retryIn));
    this.#retry.unref();
  }

  async #list(): Promise<void> {
    const { client } = this.connection;
    if (client === undefined) return;
    try {
      const listed = await listAll(client, (problem) => this.failed(problem, undefined));
      const lists = createClearing(this.secrets).value(listed);
      this.lists = lists;
      this.#listedAt = performance.now();
      await this.#owner.listed(this, lists);
      this.#listFailure = undefined;
    } catch (error) {
      this.#listFailure = error as Error;
      this.failed("It cannot be listed", error);
    }
    this.#noteState();
  }

  #noteState(): void {
    const hasFailed = this.failure !== undefined && !this.needsLogin;
    if (hasFailed === this.#hasFailed) return;
    this.#hasFailed = hasFailed;
    this.#owner.changedState(this);
  }
}

/** Whether an error means that a person has to log in. */
export function isLoginNeeded(error: unknown): error is AuthError {
  return error instanceof AuthError && error.code === "LOGIN_REQUIRED";
}

function durationOf(value: number | string | undefined): number | undefined {
  return value === undefined ? undefined : readDuration(value);
}

/** Waits for work, but not longer than some milliseconds. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
