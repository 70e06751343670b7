import { UsageError } from "@toolwire/server";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { AdminListener } from "../admin/admin-listener.ts";
import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { readDuration } from "../config/durations.ts";
import { expectConfig, expectMachineAccess, expectServerConfig } from "../config/load-config.ts";
import { isLoopback } from "../config/loopback.ts";
import type { ReferenceSources } from "../config/references.ts";
import type { Gateway, GatewayEvent, GatewayOptions, GatewayServer } from "../gateway.ts";
import { type GatewayListener, listen, type RouteOptions } from "../listener/listener.ts";
import { Metrics } from "../listener/metrics.ts";
import { createConnectHandler } from "../logins/connect-handler.ts";
import type { LoginTarget } from "../logins/login-target.ts";
import { Logins } from "../logins/logins.ts";
import { buildContents } from "../servers/build-contents.ts";
import { ContentsNews } from "../servers/contents-news.ts";
import { prepareValue } from "../servers/credential-value.ts";
import { fetchDocument, HttpCallers } from "../servers/http-callers.ts";
import { slugTaken } from "../servers/running-server.ts";
import { ServerSet } from "../servers/server-set.ts";
import type { GrantOwner, Storage, StoredServer } from "../storage/storage.ts";
import { startGatewayWorkers } from "../workers/primary.ts";
import type { GatewayWorker } from "../workers/worker.ts";
import { createServerHost, type GatewayParts } from "./create-server-host.ts";
import { openAdmin } from "./open-admin.ts";
import type { SharedCluster } from "./open-cluster.ts";

/** How often documents that could not be fetched are tried again, in milliseconds. */
const RETRY_INTERVAL = 30_000;

/** How long a worker may take to close, in milliseconds: for requests in flight, and to write its log. */
const WORKER_CLOSE_TIMEOUT = 40_000;

/** How long load balancers have to notice that a gateway ends, unless the configuration says otherwise, in milliseconds. */
const DRAIN_WAIT = 5000;

/** The part that this process has in a gateway of several processes or machines. Alone, it has none. */
export interface GatewayRole {
  /** The cluster of this gateway, or of the workers of one gateway. */
  readonly shared?: SharedCluster | undefined;
  /** How many workers this process starts. */
  readonly workers?: number | undefined;
  /** The worker that this process is. */
  readonly worker?: GatewayWorker | undefined;
}

/** A gateway from its start to its end. */
export class RunningGateway implements Gateway {
  readonly storage: Storage;
  readonly node: string;
  readonly startedAt: number = Date.now();
  readonly #sources: ReferenceSources;
  readonly #report: (event: GatewayEvent) => void;
  readonly #metrics = new Metrics();
  readonly #callers: HttpCallers;
  readonly #servers: ServerSet;
  readonly #parts: GatewayParts;
  readonly #shared: SharedCluster | undefined;
  readonly #worker: GatewayWorker | undefined;
  readonly #workers: number | undefined;
  /** The origin by which clients and browsers reach the gateway. */
  readonly #publicUrl: string | undefined;
  /** `undefined` without a public URL. */
  readonly #logins: Logins | undefined;
  #config: GatewayConfig;
  #listener: GatewayListener | undefined;
  #admin: AdminListener | undefined;
  #stopListening: (() => void) | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isDraining = false;
  #closing: Promise<void> | undefined;

  constructor(
    config: GatewayConfig,
    sources: ReferenceSources,
    storage: Storage,
    options: GatewayOptions,
    report: (event: GatewayEvent) => void,
    build: typeof buildContents,
    { shared, worker, workers }: GatewayRole,
  ) {
    this.#shared = shared;
    this.#worker = worker;
    this.#workers = workers;
    this.#config = config;
    this.#sources = sources;
    this.storage = storage;
    this.#report = report;
    this.node = options.node ?? `${hostname()}-${randomUUID().slice(0, 8)}`;
    const publicUrl = config.listen?.publicUrl === undefined ? undefined : this.#resolve(config.listen.publicUrl);
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    this.#logins =
      this.#publicUrl === undefined
        ? undefined
        : new Logins({ storage, publicUrl: this.#publicUrl, find: this.#findLogin });
    this.#callers = new HttpCallers(report);
    this.#parts = {
      node: this.node,
      sources,
      storage,
      callers: this.#callers,
      metrics: this.#metrics,
      logins: this.#logins,
      publicUrl: this.#publicUrl,
      isLoopback: isLoopback(options.host ?? config.listen?.host),
      config: () => this.#config,
      resolve: (text) => this.#resolve(text),
      report,
      observe: options.observe ?? {},
      cluster: shared?.cluster,
    };
    const news = new ContentsNews(report);
    this.#servers = new ServerSet(createServerHost(this.#parts), async (slug, server, isFromFile) => {
      if (!isFromFile) expectMachineAccess(slug, server, this.#config);
      const { network } = this.#config;
      const contents = await build(slug, server, isFromFile, { sources, storage, callers: this.#callers, network });
      news.tell(contents);
      return contents;
    });
  }

  get url(): string {
    return this.#listener?.url ?? "";
  }

  get publicUrl(): string {
    return this.#publicUrl ?? this.url;
  }

  get adminUrl(): string | undefined {
    return this.#admin?.url;
  }

  get config(): GatewayConfig {
    return this.#config;
  }

  servers(): readonly GatewayServer[] {
    return this.#servers.list();
  }

  server(slug: string): GatewayServer | undefined {
    return this.#servers.find(slug);
  }

  isReady(): boolean {
    return this.#isStarted && !this.#isDraining && this.#closing === undefined;
  }

  isEngineUp(): boolean | undefined {
    return this.#shared?.cluster.bus.isUp;
  }

  metrics(): string {
    const servers = this.#servers.list();
    return this.#metrics.write({
      isReady: this.isReady(),
      isEngineUp: this.isEngineUp(),
      startedAt: this.startedAt,
      log: this.storage.calls.status(),
      servers: servers.map(({ slug, status, tools }) => ({ slug, status, tools: tools.length })),
      upstreams: servers.flatMap(({ slug, upstreams }) =>
        upstreams.map((upstream) => ({ server: slug, status: upstream.status() })),
      ),
    });
  }

  /** Builds the servers, and listens. */
  async start(options: GatewayOptions): Promise<void> {
    const { host, port } = options;
    const { listen: where = {} } = this.#config;
    await this.#apply(this.#config);
    const routes: RouteOptions = {
      find: (slug) => this.#servers.find(slug),
      list: () => this.#servers.list(),
      isReady: () => this.isReady(),
      isEngineUp: () => this.isEngineUp(),
      connect:
        this.#logins &&
        createConnectHandler({
          logins: this.#logins,
          find: this.#findLogin,
          onError: (error) => this.#report({ level: "error", message: "A login at an upstream failed.", error }),
        }),
    };
    const place = { host: host ?? where.host ?? "127.0.0.1", port: port ?? where.port ?? 8080 };
    this.#listener = await this.#listen(routes, place);
    // The process that has started the workers has the admin listener: there is one, whoever serves.
    this.#admin = this.#worker === undefined ? await openAdmin(this, this.#parts, options) : undefined;
    this.#stopListening = this.storage.onChange((kind) => {
      if (kind === "servers") void this.#applyStored();
      if (kind === "grants") this.#tellUpstreams();
    });
    this.#retry = setInterval(() => {
      if (this.#servers.list().some(({ isIncomplete }) => isIncomplete)) void this.#applyStored();
    }, RETRY_INTERVAL).unref();
    this.#isStarted = true;
  }

  /** Listens, or starts the workers that do, or is one of them. */
  #listen(routes: RouteOptions, place: { readonly host: string; readonly port: number }): Promise<GatewayListener> {
    if (this.#worker !== undefined) {
      this.#worker.onConfig((config) => void this.#reloadInWorker(config));
      const listener = this.#worker.serve(routes, {
        close: () => void this.close(),
        drain: (wait) => void this.drain({ wait }),
      });
      return Promise.resolve(listener);
    }
    if (this.#workers === undefined) return listen({ ...routes, ...place });
    return startGatewayWorkers({
      ...place,
      count: this.#workers,
      closeTimeout: WORKER_CLOSE_TIMEOUT,
      storage: this.storage,
      config: () => this.#config,
      report: this.#report,
      logged: (record) => this.#metrics.add(record),
    });
  }

  async #reloadInWorker(config: GatewayConfig): Promise<void> {
    try {
      this.#config = config;
      await this.#apply(config);
    } catch (error) {
      this.#report({ level: "error", message: `A worker goes on as it was: ${(error as Error).message}`, error });
    }
  }

  async reload(config: GatewayConfig): Promise<void> {
    // Warnings were reported when the file was read.
    expectConfig(config, this.#sources);
    const before = this.#config;
    for (const part of ["listen", "cluster", "admin", "analytics", "stateKey"] as const) {
      if (JSON.stringify(before[part]) === JSON.stringify(config[part])) continue;
      this.#report({
        level: "warning",
        message: `\`${part}\` has changed. That takes effect when the gateway starts again.`,
      });
    }
    this.#config = config;
    try {
      await this.#apply(config);
    } catch (error) {
      this.#config = before;
      throw error;
    }
    this.#listener?.reload?.(config);
  }

  async putServer(slug: string, config: unknown, revision: number): Promise<StoredServer> {
    this.#expectStorable(slug);
    expectServerConfig(slug, config, this.#sources, this.#config);
    const { network } = this.#config;
    const host = { sources: this.#sources, storage: this.storage, callers: this.#callers, network };
    await buildContents(slug, config as ServerConfig, false, host);
    const stored = await this.storage.servers.put(slug, config as ServerConfig, revision);
    await this.#apply(this.#config);
    return stored;
  }

  async removeServer(slug: string, revision: number): Promise<boolean> {
    this.#expectStorable(slug);
    const isRemoved = await this.storage.servers.remove(slug, revision);
    if (isRemoved) await this.#apply(this.#config);
    return isRemoved;
  }

  fetchDocument(url: string, signal?: AbortSignal): Promise<string> {
    return fetchDocument(this.#callers.get(this.#config.network ?? {}), url, {}, signal);
  }

  async createLoginLink(slug: string, upstream: string): Promise<string> {
    if (this.#logins === undefined || this.#findLogin(slug, upstream)?.isShared !== true) {
      const message = `No admin logs in at ${slug}/${upstream}: it needs \`auth: { oauth: { shared: true } }\`.`;
      throw new UsageError("INVALID_ARGUMENT", message);
    }
    return this.#logins.createLink({ server: slug, upstream, principal: undefined, scopes: undefined });
  }

  createPageLink(): string | undefined {
    return this.#admin?.createPageLink();
  }

  async disconnect(owner: GrantOwner): Promise<boolean> {
    // Without a public URL nobody can log in, but tokens of before may still be there.
    return this.#logins === undefined ? this.storage.grants.remove(owner) : this.#logins.disconnect(owner);
  }

  async drain({ wait }: { readonly wait?: number | undefined } = {}): Promise<void> {
    this.#isDraining = true;
    const ms = wait ?? readDrain(this.#config);
    if (ms > 0 && this.#closing === undefined) {
      await Promise.all([this.#servers.drain(ms), this.#listener?.drain?.(ms)]);
    }
    await this.close();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#stopListening?.();
    clearInterval(this.#retry);
    this.#listener?.leave?.();
    await this.#servers.close();
    await this.#listener?.close();
    await this.#admin?.close();
    await this.#callers.close();
    // Writes the log, if the database takes it. To wait for one that is down would keep the gateway from ending.
    await this.storage.close();
    // Last: servers tell other gateways what they have not got to.
    await this.#shared?.close();
  }

  #apply(config: GatewayConfig): Promise<void> {
    return this.#servers.apply(config, this.storage.servers.list());
  }

  /** Another process, or the admin API, has changed the stored servers. */
  async #applyStored(): Promise<void> {
    try {
      await this.#apply(this.#config);
    } catch (error) {
      this.#report({ level: "error", message: `Nothing was changed: ${(error as Error).message}`, error });
    }
  }

  /** A login at an upstream began or ended, here or at another gateway. */
  #tellUpstreams(): void {
    for (const { upstreams } of this.#servers.list()) {
      for (const upstream of upstreams) void upstream.loginsChanged();
    }
  }

  readonly #findLogin = (server: string, upstream: string): LoginTarget | undefined =>
    this.#servers.find(server)?.upstreams.find(({ name }) => name === upstream)?.loginTarget;

  #expectStorable(slug: string): void {
    if (Object.hasOwn(this.#config.servers ?? {}, slug)) throw slugTaken(slug);
  }

  #resolve(text: string): string | undefined {
    return prepareValue(text, false, this.#sources, this.storage.secrets).get(undefined);
  }
}

/** A gateway that serves alone has no load balancer in front of it. */
function readDrain({ listen: place, cluster }: GatewayConfig): number {
  return readDuration(place?.drain ?? (cluster === undefined ? 0 : DRAIN_WAIT)) ?? DRAIN_WAIT;
}
