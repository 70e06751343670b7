import { UsageError } from "@toolwire/server";
import type { HttpOptions } from "@toolwire/server/http";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { inspect } from "node:util";
import { type AdminListener, type AdminListenerOptions, listenAdmin } from "./admin/admin-listener.ts";
import { createAdminToken } from "./admin/login/login.ts";
import { describeWeakToken } from "./config/check/gateway.ts";
import type { AdminLoginConfig, GatewayConfig, ServerConfig } from "./config/config.ts";
import { expectConfig, expectMachineAccess, expectServerConfig, sourcesOf } from "./config/load-config.ts";
import { identifiesCallers, takesKeys } from "./config/identifies-callers.ts";
import { isLoopback } from "./config/loopback.ts";
import { describeProblem } from "./config/problem.ts";
import type { ReferenceSources } from "./config/references.ts";
import type { Gateway, GatewayEvent, GatewayOptions, GatewayServer } from "./gateway.ts";
import { type GatewayListener, listen } from "./listener/listener.ts";
import { Metrics } from "./listener/metrics.ts";
import type { CallRecord } from "./log/call-record.ts";
import { createConnectHandler } from "./logins/connect-handler.ts";
import type { LoginTarget } from "./logins/login-target.ts";
import { Logins } from "./logins/logins.ts";
import { buildContents } from "./servers/build-contents.ts";
import { ContentsNews } from "./servers/contents-news.ts";
import { prepareValue } from "./servers/credential-value.ts";
import { createGuardedFetch } from "./servers/guarded-fetch.ts";
import { fetchDocument, HttpCallers } from "./servers/http-callers.ts";
import { createKeyCheck } from "./servers/keys.ts";
import { slugTaken } from "./servers/running-server.ts";
import { createServerAuth } from "./servers/server-auth.ts";
import type { ServerHost } from "./servers/server-host.ts";
import { prepareUpstreams } from "./servers/prepare-upstreams.ts";
import { ServerSet } from "./servers/server-set.ts";
import { openStorage } from "./storage/open-storage.ts";
import { readStorageOptions } from "./storage-options.ts";
import type { GrantOwner, Storage, StoredServer } from "./storage/storage.ts";
import { VERSION } from "./version.ts";

/** How long requests in flight may take when the gateway closes, in milliseconds. */
const CLOSE_TIMEOUT = 30_000;

/** How often documents that could not be fetched are tried again, in milliseconds. */
const RETRY_INTERVAL = 30_000;

/**
 * Starts a gateway: opens its storage, builds its servers, and listens.
 *
 * @throws UsageError that lists everything that is wrong with the configuration
 */
export async function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Promise<Gateway> {
  return startGateway(config, options, buildContents);
}

/** Does the work of `createGateway`, with servers that may have been built before. */
export async function startGateway(
  config: GatewayConfig,
  options: GatewayOptions,
  build: typeof buildContents,
): Promise<Gateway> {
  const sources = sourcesOf(options.folder, options.env);
  const report = options.onEvent ?? (() => undefined);
  const problems = options.isChecked === true ? [] : expectConfig(config, sources);
  for (const problem of problems) report({ level: "warning", message: describeProblem(problem) });
  const warn = (message: string): void => report({ level: "warning", message });
  const storage = options.storage ?? (await openStorage(readStorageOptions(config, sources, warn)));
  const redacted = (event: GatewayEvent): void => report(redactEvent(event, storage));
  const gateway = new RunningGateway(config, sources, storage, options, redacted, build);
  try {
    await gateway.start(options);
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return gateway;
}

/** An event without secrets: what others answer may repeat what they were sent. */
function redactEvent(event: GatewayEvent, { redactor }: Storage): GatewayEvent {
  const { error } = event;
  const message = redactor.redact(event.message);
  if (error === undefined) return { ...event, message };
  return {
    ...event,
    message,
    error: redactor.redact(error instanceof Error ? (error.stack ?? error.message) : inspect(error)),
  };
}

/** A failure of an API, for the operator. The caller was told less. */
function eventOf({ id, server, tool, outcome, durationMs }: CallRecord, failure: string): GatewayEvent {
  return { level: "warning", server, message: failure, call: { id, tool, outcome, durationMs } };
}

class RunningGateway implements Gateway {
  readonly storage: Storage;
  readonly node: string;
  readonly startedAt: number = Date.now();
  readonly #sources: ReferenceSources;
  readonly #report: (event: GatewayEvent) => void;
  readonly #metrics = new Metrics();
  readonly #callers: HttpCallers;
  readonly #servers: ServerSet;
  readonly #isLoopback: boolean;
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
  #closing: Promise<void> | undefined;

  constructor(
    config: GatewayConfig,
    sources: ReferenceSources,
    storage: Storage,
    options: GatewayOptions,
    report: (event: GatewayEvent) => void,
    build: typeof buildContents,
  ) {
    this.#config = config;
    this.#sources = sources;
    this.storage = storage;
    this.#report = report;
    this.node = options.node ?? `${hostname()}-${randomUUID().slice(0, 8)}`;
    this.#isLoopback = isLoopback(options.host ?? config.listen?.host);
    const publicUrl = config.listen?.publicUrl === undefined ? undefined : this.#resolve(config.listen.publicUrl);
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    this.#logins =
      this.#publicUrl === undefined
        ? undefined
        : new Logins({ storage, publicUrl: this.#publicUrl, find: this.#findLogin });
    this.#callers = new HttpCallers(report);
    const news = new ContentsNews(report);
    this.#servers = new ServerSet(this.#host(), async (slug, server, isFromFile) => {
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
    return this.#isStarted && this.#closing === undefined;
  }

  metrics(): string {
    const servers = this.#servers.list();
    return this.#metrics.write({
      isReady: this.isReady(),
      startedAt: this.startedAt,
      log: this.storage.calls.status(),
      servers: servers.map(({ slug, status, tools }) => ({ slug, status, tools: tools.length })),
      upstreams: servers.flatMap(({ slug, upstreams }) =>
        upstreams.map((upstream) => ({ server: slug, status: upstream.status() })),
      ),
    });
  }

  async start({ host, port, adminPort, adminToken }: GatewayOptions): Promise<void> {
    const { listen: where = {}, admin } = this.#config;
    await this.#apply(this.#config);
    this.#listener = await listen({
      host: host ?? where.host ?? "127.0.0.1",
      port: port ?? where.port ?? 8080,
      find: (slug) => this.#servers.find(slug),
      isReady: () => this.isReady(),
      connect:
        this.#logins &&
        createConnectHandler({
          logins: this.#logins,
          find: this.#findLogin,
          onError: (error) => this.#report({ level: "error", message: "A login at an upstream failed.", error }),
        }),
    });
    if (admin !== false) {
      const origin = admin?.publicUrl === undefined ? undefined : new URL(this.#expect(admin.publicUrl)).origin;
      this.#admin = await listenAdmin(this, {
        host: admin?.host,
        port: adminPort ?? admin?.port ?? 8081,
        allowedHosts: [...(admin?.allowedHosts ?? []), ...(origin === undefined ? [] : [new URL(origin).hostname])],
        token: this.#adminToken(admin?.token, adminToken),
        login: admin?.login && this.#personLogin(admin.login, () => origin ?? this.#admin?.url ?? ""),
        onLoginFailure: (message) => this.#report({ level: "warning", message }),
        onError: (error, id) => this.#report({ level: "error", message: `The admin API failed (id ${id}).`, error }),
      });
    }
    this.#stopListening = this.storage.onChange((kind) => {
      if (kind === "servers") void this.#applyStored();
      if (kind === "grants") this.#tellUpstreams();
    });
    this.#retry = setInterval(() => {
      if (this.#servers.list().some(({ isIncomplete }) => isIncomplete)) void this.#applyStored();
    }, RETRY_INTERVAL).unref();
    this.#isStarted = true;
  }

  async reload(config: GatewayConfig): Promise<void> {
    // Warnings were reported when the file was read.
    expectConfig(config, this.#sources);
    const before = this.#config;
    for (const part of ["listen", "admin", "analytics", "stateKey"] as const) {
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

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#stopListening?.();
    clearInterval(this.#retry);
    await this.#servers.close();
    await this.#listener?.close();
    await this.#admin?.close();
    await this.#callers.close();
    // Writes the log, if the database takes it. To wait for one that is down would keep the gateway from ending.
    await this.storage.close();
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

  #adminToken(text: string | undefined, given: string | undefined): string {
    const configured = text === undefined ? given : this.#resolve(text);
    if (configured !== undefined) {
      this.storage.redactor.add(configured);
      // Of others, the check of the configuration has told already.
      const weakness = text?.includes("${secret:") === true ? describeWeakToken(configured) : undefined;
      if (weakness !== undefined) this.#report({ level: "warning", message: `admin.token: ${weakness}` });
      return configured;
    }
    const token = createAdminToken();
    this.storage.redactor.add(token);
    this.#report({
      level: "info",
      message: "No admin token is configured. This one is for this run.",
      adminToken: token,
    });
    return token;
  }

  #stateKey(): string | undefined {
    const { stateKey } = this.#config;
    const value = stateKey === undefined ? undefined : this.#resolve(stateKey);
    if (value !== undefined) this.storage.redactor.add(value);
    return value;
  }

  #personLogin(config: AdminLoginConfig, origin: () => string): NonNullable<AdminListenerOptions["login"]> {
    const { id, secret } = config.client;
    const resolved = secret === undefined ? undefined : this.#expect(secret);
    if (resolved !== undefined) this.storage.redactor.add(resolved);
    const fetch = createGuardedFetch(this.#callers.get(this.#config.network ?? {}));
    return { ...config, issuer: this.#expect(config.issuer), client: { id, secret: resolved }, fetch, origin };
  }

  /** The value of a text. Throws a `UsageError` if a secret in it is not set. */
  #expect(text: string): string {
    const value = this.#resolve(text);
    if (value !== undefined) return value;
    throw new UsageError("INVALID_DEFINITION", `\`admin\` refers to a value that is not set: ${text}.`);
  }

  #resolve(text: string): string | undefined {
    return prepareValue(text, false, this.#sources, this.storage.secrets).get(undefined);
  }

  /** The names by which clients may call: those that are configured, or this machine; and the public one. */
  #allowedHosts(): readonly string[] | undefined {
    const { allowedHosts } = this.#config.listen ?? {};
    if (this.#publicUrl === undefined) return allowedHosts;
    return [...(allowedHosts ?? ["localhost", "127.0.0.1", "[::1]"]), new URL(this.#publicUrl).host];
  }

  /** Decides on the callers of a server: by tokens, by API keys, or by both. */
  #checkOf(slug: string, config: ServerConfig): Pick<HttpOptions, "auth" | "authenticate"> {
    const { keys } = this.storage;
    const auth = createServerAuth(slug, config, {
      publicUrl: this.#publicUrl,
      keys,
      caller: this.#callers.get(config.network ?? this.#config.network ?? {}),
      resolve: (text) => this.#resolve(text),
      diagnose: (message, error) => this.#report({ level: "warning", message, server: slug, error }),
    });
    if (auth !== undefined) return { auth };
    return takesKeys(config, this.#isLoopback) ? { authenticate: createKeyCheck(slug, keys) } : {};
  }

  #host(): ServerHost {
    const { storage } = this;
    return {
      node: this.node,
      version: VERSION,
      captures: this.#config.analytics?.capture === true,
      stateKey: this.#stateKey(),
      record: (record: CallRecord, failure: string | undefined) => {
        if (failure !== undefined) this.#report(eventOf(record, failure));
        storage.calls.add(record);
        this.#metrics.add(record);
      },
      defaultPerMinute: (config) =>
        identifiesCallers(config, this.#isLoopback) || !this.#isLoopback ? 600 : undefined,
      httpOptions: (slug, config) => ({
        allowedHosts: this.#allowedHosts(),
        allowedOrigins: this.#config.listen?.allowedOrigins,
        ...this.#checkOf(slug, config),
        legacy: { sessions: (config.sessions ?? config.upstreams !== undefined) ? {} : false },
        closeTimeout: CLOSE_TIMEOUT,
      }),
      prepareUpstreams: (slug, config) =>
        prepareUpstreams(slug, config, {
          sources: this.#sources,
          secrets: storage.secrets,
          acceptedTools: storage.acceptedTools,
          redactor: storage.redactor,
          grants: storage.grants,
          logins: this.#logins,
          connect: this.#callers.connectorFor(config.network ?? this.#config.network ?? {}),
          report: (event) => this.#report(event),
        }),
      diagnose: (server, message, error) => this.#report({ level: "warning", message, server, error }),
    };
  }
}
