import type { Client, ClientDiagnostic, PromptReference, ResourceTemplateReference } from "@toolwire/client";
import { tasks } from "@toolwire/client/tasks";
import type { Context, Suggestions } from "@toolwire/server";
import { clearError, isAnswer, isLoginNeeded } from "../calls/explain.ts";
import { relayCall } from "../calls/relay-call.ts";
import type { CallTarget, RelayedMethod } from "../calls/target.ts";
import type { TaskSupport } from "../calls/task-support.ts";
import { WaitingTasks } from "../calls/waiting-tasks.ts";
import { Catalog, type CatalogChange } from "../catalog/catalog.ts";
import { Connections } from "../connections/connections.ts";
import { type Clear, clearNothing } from "../text/clear.ts";
import { RELAYED_EXTENSIONS } from "../text/meta.ts";
import type { RelayEvent, UpstreamOptions, ViewOptions } from "./options.ts";
import { WatchedResources } from "./watched-resources.ts";

/** How long calls wait without an answer or progress, and in total, unless the options say otherwise. */
const CALL_MS = 60_000;
const WHOLE_CALL_MS = 600_000;

/** How long connecting may take. */
const CONNECT_MS = 30_000;

/** After how long the connection of a principal who does nothing is closed. */
const PRINCIPAL_IDLE_MS = 10 * 60_000;

/** How many connections legacy servers may take for calls that they could ask something: processes are dear. */
const MAX_CONNECTIONS = 8;

/** What a view is made from, and who hears of it. */
export interface ViewParts<V extends ViewOptions> {
  readonly upstream: string;
  readonly principal: string | undefined;
  readonly options: V;
  readonly shared: UpstreamOptions<V>;
  readonly changed: (change: ViewChange) => void;
  readonly report: (event: Omit<RelayEvent, "upstream">) => void;
}

/** What has changed in a view: its catalog, or a resource that somebody watches, by the upstream's own URI. */
export type ViewChange = CatalogChange | { readonly kind: "resource"; readonly uri: string };

/** Something whose arguments an upstream completes. */
export type CompletedReference = PromptReference | ResourceTemplateReference;

/** Arguments that are filled in already. */
export type Settled = { readonly [name: string]: string };

/** An upstream as one principal sees it, or all of them if they share it: connections, and what they list. */
export class View<V extends ViewOptions = ViewOptions> {
  readonly principal: string | undefined;
  readonly options: V;
  readonly connections: Connections;
  readonly catalog: Catalog;
  readonly watched: WatchedResources;
  /** Tasks whose questions wait for callers. */
  readonly waiting: WaitingTasks = new WaitingTasks();
  /** The client of the current or the last shared connection. */
  #lastClient: Client | undefined;
  readonly #clear: Clear;
  readonly #report: ViewParts<V>["report"];
  readonly #target: CallTarget;

  constructor({ upstream, principal, options, shared, changed, report }: ViewParts<V>) {
    const timeout = shared.timeout ?? CALL_MS;
    const maxTimeout = Math.max(WHOLE_CALL_MS, timeout);
    const byCaller = options.login?.byCaller;
    this.principal = principal;
    this.options = options;
    this.#clear = options.clear ?? clearNothing;
    this.#report = report;
    const tell = (message: string, error?: unknown): void => this.#tell(message, error);
    this.connections = new Connections({
      upstream,
      connect: (given) => options.connect(given),
      shared: {
        connectTimeout: CONNECT_MS,
        timeout,
        maxTimeout,
        capabilities: { extensions: RELAYED_EXTENSIONS },
        // Always: a server may insist on a task, and a caller without tasks waits for the result all the same.
        extensions: [tasks()],
        // Lists are kept here, results are passed on as they are.
        cache: false,
        validate: false,
        onDiagnostic: ({ level, message, error }: ClientDiagnostic) => this.#pass(level, message, error),
      },
      idleTimeout: shared.idleTimeout ?? (shared.perPrincipal === true ? PRINCIPAL_IDLE_MS : Infinity),
      maxLeases: shared.maxConnections ?? MAX_CONNECTIONS,
      timeout,
      keepsLogsApart: shared.isHttp === true,
      clear: this.#clear,
      opened: (client) => {
        this.#lastClient = client;
        this.catalog.connected(client);
        this.watched.resume();
      },
      failed: (error) => this.catalog.disconnected(error),
    });
    this.catalog = new Catalog({
      connections: this.connections,
      clear: this.#clear,
      inspect: (tools) => options.inspect?.(tools),
      needsLogin: (error) => byCaller !== undefined && isLoginNeeded(error),
      // A principal who is not there is not tried for.
      triesAgain: principal === undefined,
      changed,
      report: tell,
    });
    this.watched = new WatchedResources(
      this.connections.shared,
      (uri) => changed({ kind: "resource", uri }),
      (error) => tell("Resources cannot be watched", error),
    );
    this.#target = {
      upstream,
      connections: this.connections,
      timeout,
      maxTimeout,
      clear: this.#clear,
      logIn: byCaller && ((ctx, scopes) => this.logIn(ctx, scopes)),
      waiting: this.waiting,
      report: tell,
    };
  }

  /** The client of the current or the last shared connection. */
  get lastClient(): Client | undefined {
    return this.#lastClient;
  }

  /** Connects and lists if necessary, but does not wait long for a server that does not answer. Never rejects. */
  async ready(): Promise<void> {
    const isNeeded = isLoginNeeded(this.connections.shared.failure);
    if (isNeeded && (await this.#hasOtherLogin())) await this.restart();
    await this.catalog.ready();
  }

  /** Relays a request of a caller. */
  send(method: RelayedMethod, params: object, ctx: Context, support?: TaskSupport): Promise<object> {
    return relayCall(this.#target, method, params, ctx, support);
  }

  /** Completes an argument. */
  async complete(
    ref: CompletedReference,
    name: string,
    value: string,
    ctx: Context,
    settled: Settled,
  ): Promise<Suggestions> {
    const known = [ref, value, settled];
    const client = await this.connections.shared.open();
    try {
      const { completion } = await client.complete(ref, { name, value }, { arguments: settled, signal: ctx.signal });
      return this.#clear(completion, known);
    } catch (error) {
      throw isAnswer(error) ? clearError(error, this.#clear, known) : error;
    }
  }

  /** Has the caller log in, with these scopes if a call needs other ones, and waits for it. */
  async logIn(ctx: Context, scopes: readonly string[] | undefined): Promise<void> {
    await this.options.login?.byCaller?.logIn(ctx, scopes);
    if (this.connections.shared.failure !== undefined) await this.restart();
  }

  /** Connects with the login that there is now, if it is another. Never rejects. */
  async loginsChanged(): Promise<void> {
    if (!(await this.#hasOtherLogin())) return;
    await this.restart();
    // The listing is that of the account before.
    this.catalog.reset("nothing");
    await this.ready();
  }

  /** Closes all connections until they are needed again. */
  async restart(): Promise<void> {
    this.catalog.reset("listing");
    await this.connections.restart();
  }

  /** Ends everything, and waits for processes to end. */
  async close(): Promise<void> {
    this.catalog.close();
    await this.connections.close();
  }

  async #hasOtherLogin(): Promise<boolean> {
    const wasNeeded = isLoginNeeded(this.connections.shared.failure);
    return (await this.options.login?.hasChanged(wasNeeded)) === true;
  }

  /** Tells the operator of a problem, with the words of the error. */
  #tell(message: string, error: unknown): void {
    const detail = error instanceof Error ? `: ${error.message}` : "";
    this.#pass("warning", message.includes(detail) ? message : message + detail, error, true);
  }

  #pass(level: RelayEvent["level"], message: string, error: unknown, isFailure = false): void {
    const cleared = this.#clear(message);
    // An error whose text has a secret in it is not passed on, because its stack has it, too.
    const shown = cleared === message && error !== undefined ? { error } : {};
    this.#report({ level, message: cleared, ...(isFailure && { isFailure }), ...shown });
  }
}
