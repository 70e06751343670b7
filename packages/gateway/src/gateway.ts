import type { ClientObserver } from "@toolwire/client";
import type { CallToolResult, ServerObserver, Tool } from "@toolwire/server";
import type { Cluster } from "@toolwire/server/cluster";
import type { GatewayConfig, ServerConfig } from "./config/config.ts";
import type { Outcome } from "./log/call-record.ts";
import type { GrantOwner, Storage, StoredServer } from "./storage/storage.ts";
import type { Upstream } from "./upstreams/upstream.ts";

/** A tool as the page shows it. */
export interface ToolInfo {
  readonly listing: Tool;
  /** What `schemas: portable` has changed in its input. Empty if nothing. */
  readonly rewritten: readonly string[];
  readonly source: "http" | "openapi" | "mcp";
  readonly status: "active" | "draft";
  /** The length of the listing as JSON. */
  readonly bytes: number;
  /** Estimated tokens of the listing: a quarter of its bytes. */
  readonly tokens: number;
}

/** A server of the gateway as it runs. */
export interface GatewayServer {
  readonly slug: string;
  readonly config: ServerConfig;
  /** Whether it comes from the configuration file, and so cannot be changed through the admin API. */
  readonly isFromFile: boolean;
  readonly status: "active" | "paused" | "draft";
  /** Whether callers can have API keys; without keys and tokens, everybody gets in. */
  readonly takesKeys: boolean;
  /** Whether callers can have access tokens of an authorization server. */
  readonly takesTokens: boolean;
  /** All tools, drafts included. */
  readonly tools: readonly ToolInfo[];
  readonly upstreams: readonly Upstream[];
  /** By name: whether each credential has all of its values. */
  readonly credentials: readonly {
    readonly name: string;
    readonly kind: string;
    readonly isSet: boolean;
    readonly perUser: boolean;
  }[];
  /** Problems that do not keep it from running: a missing credential, an upstream that failed, a skipped operation. */
  readonly problems: readonly string[];
  /** Calls a tool as its callers do, with all seven steps, as the principal `admin`. Drafts can be called, too. */
  call(
    tool: string,
    args: object,
    signal?: AbortSignal,
  ): Promise<{ readonly id: string; readonly result: CallToolResult }>;
}

/** A gateway that runs. */
export interface Gateway {
  /** Where clients connect to: `http://127.0.0.1:8080`. Servers are at `/mcp/{slug}` below it. */
  readonly url: string;
  /** The same as clients elsewhere know it: `listen.publicUrl`, or else `url`. */
  readonly publicUrl: string;
  /** Where the admin API and the page are; `undefined` if they are off. */
  readonly adminUrl: string | undefined;
  readonly storage: Storage;
  readonly config: GatewayConfig;
  /** The name of this process, as call records have it. */
  readonly node: string;
  /** When it began to serve, in milliseconds since 1970. */
  readonly startedAt: number;
  servers(): readonly GatewayServer[];
  server(slug: string): GatewayServer | undefined;
  /**
   * Checks a server that somebody made through the admin API, writes it to the storage, and serves it. It uses nothing of the machine,
   * unless `admin.machineAccess` allows that. `revision` is the one that was read, or 0 for a new server. Throws a `UsageError` that names the place if the configuration is not valid, and
   * one if the server has changed since; then nothing has changed.
   */
  putServer(slug: string, config: unknown, revision: number): Promise<StoredServer>;
  /** Removes such a server. Returns false if there is none. Throws a `UsageError` if it has changed since `revision`. */
  removeServer(slug: string, revision: number): Promise<boolean>;
  /**
   * Fetches an OpenAPI document, to allowed addresses only and within the limits for documents. Throws a `ToolwireError` whose
   * text may be shown if it cannot.
   */
  fetchDocument(url: string, signal?: AbortSignal): Promise<string>;
  /**
   * Makes a link at which an admin logs in for all callers of an upstream with `auth.oauth.shared`. It works once, for ten minutes.
   * Throws a `UsageError` if nobody can log in at the upstream in this way.
   */
  createLoginLink(slug: string, upstream: string): Promise<string>;
  /**
   * Makes a link that logs whoever opens it in to the page: once, within ten minutes. `undefined` if the page is off. Show it to
   * nobody but the operator.
   */
  createPageLink(): string | undefined;
  /** Forgets the tokens of a login at an upstream, and revokes them where possible. Returns false if there were none. */
  disconnect(owner: GrantOwner): Promise<boolean>;
  /** All metrics in the text format of Prometheus. */
  metrics(): string;
  /** Applies a new configuration, without dropping a call. If it is invalid, nothing changes and it throws a `UsageError`. */
  reload(config: GatewayConfig): Promise<void>;
  /** Whether the gateway takes calls: servers are built, storage is open, and it is not shutting down. */
  isReady(): boolean;
  /** Whether the engine of the cluster could be reached when it was last tried. `undefined` without a cluster. */
  isEngineUp(): boolean | undefined;
  /**
   * Drains: is not ready any more at once, goes on until load balancers have noticed, and closes. `wait` is how many milliseconds they
   * may take; the default is `listen.drain`. `close()` ends the wait.
   */
  drain(options?: { readonly wait?: number | undefined }): Promise<void>;
  /**
   * Takes no new requests, waits for those in flight, writes the log, and closes everything. Records that the
   * database does not take within five seconds stay in the spool, and are written at the next start.
   */
  close(): Promise<void>;
}

/** Something that the operator of a gateway should know. */
export interface GatewayEvent {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  /** The slug of the server that it is about. */
  readonly server?: string | undefined;
  /** The stack or the message of an error, without secrets. */
  readonly error?: unknown;
  /** The name of the upstream that it is about. */
  readonly upstream?: string | undefined;
  /** The call that it is about: its name in the call log, its tool, how it ended, and how long it took. */
  readonly call?:
    | { readonly id: string; readonly tool: string; readonly outcome: Outcome; readonly durationMs: number }
    | undefined;
  /** The token for the admin API, if none is configured: it is made anew for each run. */
  readonly adminToken?: string | undefined;
}

/** The observers of both sides of a gateway. */
export interface GatewayObservers {
  /** Sees the requests of callers, at all servers. */
  readonly callers?: ServerObserver | undefined;
  /** Sees the requests to MCP servers, of all upstreams. */
  readonly upstreams?: ClientObserver | undefined;
}

/** How a gateway is started. */
export interface GatewayOptions {
  /** The folder that relative paths in the configuration start from. Default: the working directory. */
  readonly folder?: string | undefined;
  /** The variables that `${env:NAME}` refers to. Default: those of the process. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
  /** Replaces `listen.host`. */
  readonly host?: string | undefined;
  /** Replaces `listen.port`; 0 picks a free one. */
  readonly port?: number | undefined;
  /** Replaces `admin.port`; 0 picks a free one. */
  readonly adminPort?: number | undefined;
  /** The token for the admin API, if `admin.token` is not configured. Default: one is made, and reported once. */
  readonly adminToken?: string | undefined;
  /** Where calls, keys and secrets are kept. Default: as `analytics` says. The gateway closes it. */
  readonly storage?: Storage | undefined;
  /**
   * The cluster in which several gateways meet, as `redisCluster` and `postgresCluster` make it. Default: as `cluster` of the
   * configuration says. The gateway closes what it has made of the configuration, and not what is given here.
   */
  readonly cluster?: Cluster | undefined;
  /** Whether the configuration was checked, and its author was told of warnings. Default false. */
  readonly isChecked?: boolean | undefined;
  /** The name of this process in call records. Default: the name of the machine, and a random part. */
  readonly node?: string | undefined;
  /** Sees calls and requests to upstreams, for telemetry: `gatewayTelemetry()` of `@toolwire/otel`. Default: none. */
  readonly observe?: GatewayObservers | undefined;
  /** Gets what the operator should know. Default: nobody is told. */
  readonly onEvent?: ((event: GatewayEvent) => void) | undefined;
}
