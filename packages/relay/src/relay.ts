import { untrustedSchemaValidator } from "@toolwire/json-schema";
import type { Context, SchemaValidator, Server, ServerExtension, ServerMiddleware } from "@toolwire/server";
import { tasks, type TasksOptions } from "@toolwire/server/tasks";
import type { OfferTarget } from "./offers/offer-table.ts";
import { defineTool, type RelayedTool } from "./offers/tools.ts";
import { createMiddleware } from "./serving/middleware.ts";
import { Offered } from "./serving/offered.ts";
import { describeUpstream, type UpstreamStatus } from "./serving/status.ts";
import type { RelayEvent, UpstreamOptions, ViewOptions } from "./upstream/options.ts";
import { Upstream, type UpstreamListener } from "./upstream/upstream.ts";

/** The parts of a server's definition that make it serve what upstreams offer. */
export interface RelayParts {
  /** Tools come as upstreams list them. Without this, the server would not have the methods of tools. */
  readonly tools: { readonly [name: string]: never };
  /** Schemas of others are not trusted. */
  readonly validator: SchemaValidator;
  readonly middleware: readonly ServerMiddleware[];
  /** Tasks of callers, unless the option `tasks` is false. Add your own extensions to these. */
  readonly extensions: readonly ServerExtension[];
}

/** What is served on, and by which server. */
export interface RelayOptions<S extends Server, V extends ViewOptions> {
  /** The servers whose offers are served on, by name, in order: the first one that offers something under a name keeps it. */
  readonly upstreams: { readonly [name: string]: UpstreamOptions<V> };
  /** Makes the server: `(parts) => createServer({ name, version, ...parts })`. */
  server(parts: RelayParts): S;
  /** Puts tools into the server in another way than as definitions that only call the upstream. */
  readonly tools?: OfferTarget<RelayedTool> | undefined;
  /**
   * The tasks of callers: a call of a tool becomes one when the upstream answers with one. Default: kept in memory. `false`: callers
   * always wait for results.
   */
  readonly tasks?: TasksOptions | false | undefined;
  /** Gets what the operator should know. Default: nobody is told. */
  readonly report?: ((event: RelayEvent) => void) | undefined;
}

/** The view of a principal, for the one who made its options. */
export interface RelayedView<V extends ViewOptions> {
  readonly principal: string | undefined;
  readonly options: V;
}

/** A server whose offers are served on, as it is run. */
export interface RelayedUpstream<V extends ViewOptions = ViewOptions> {
  readonly name: string;
  /** The views that there are at the moment, the one that was used last at the end. */
  readonly views: readonly RelayedView<V>[];
  status(): UpstreamStatus;
  /**
   * Connects if necessary, and resolves when everything that it lists is in the server: for everybody, or with `perPrincipal` for the
   * principal. Never rejects: if it fails, `status()` says why.
   */
  ready(principal?: string): Promise<void>;
  /** Closes all connections and opens them again when they are needed. */
  restart(): Promise<void>;
  /** Looks again who is logged in, because somebody has logged in or out. Never rejects. */
  loginsChanged(): Promise<void>;
  /** Chooses again what is offered, because `choose` decides otherwise now. */
  offerAgain(): void;
  /** Takes everything out of the server, and ends all connections and processes. */
  close(): Promise<void>;
}

/** A server that serves what upstreams offer. */
export interface Relay<S extends Server = Server, V extends ViewOptions = ViewOptions> {
  readonly server: S;
  readonly upstreams: readonly RelayedUpstream<V>[];
  /** Whether a caller finds a tool in the list. */
  isListed(tool: string, ctx: Context): boolean;
  /** The name of the upstream that something comes from, as a caller sees it; `undefined` if it is the server's own. Resources have URIs. */
  upstreamOf(kind: "tools" | "prompts" | "resources", name: string, ctx: Context): string | undefined;
  /** Closes all upstreams. Close what serves the server before. */
  close(): Promise<void>;
}

/**
 * Serves what other servers offer, over any transport and to callers of any era. Nothing is connected before it is needed.
 *
 * @example
 * ```ts
 * const files = { view: () => ({ connect: (options: ClientOptions) => connect({ command: "files-server" }, options) }) };
 * const relay = createRelay({
 *   upstreams: { files },
 *   server: (parts) => createServer({ name: "files", version: "1.0.0", ...parts }),
 * });
 * await serveHttp(relay.server, { port: 8080 });
 * ```
 */
export function createRelay<S extends Server, V extends ViewOptions>(options: RelayOptions<S, V>): Relay<S, V> {
  const report = options.report ?? (() => undefined);
  const listener: UpstreamListener<V> = {
    changed(upstream, view, change) {
      if (change.kind === "listing") offered.offer(upstream, view);
      else if (change.kind === "askable tools") offered.offerToAskable(upstream, view, change.viewer, change.tools);
      else if (change.kind === "state") offered.announceState(upstream);
      else announceUpdate(server, view.principal, upstream.uris.outward(change.uri));
    },
    ended: (upstream, view) => offered.withdraw(upstream, view),
    report,
  };
  const hasTasks = options.tasks !== false;
  const extensions = options.tasks === false ? [] : [tasks(options.tasks)];
  const upstreams = Object.entries(options.upstreams).map(
    ([name, each]) => new Upstream(name, each, listener, hasTasks),
  );
  const middleware: ServerMiddleware = (call, next) => serve(call, next);
  const server = options.server({
    tools: {},
    validator: untrustedSchemaValidator,
    middleware: [middleware],
    extensions,
  });
  const offered = new Offered({
    upstreams,
    server,
    tools: options.tools ?? {
      add: (name, tool) => server.tools.add(name, defineTool(tool)),
      remove: (name) => void server.tools.remove(name),
    },
    report: ({ name: upstream }, message) => report({ level: "warning", upstream, message }),
  });
  const serve = createMiddleware(upstreams, offered);
  return {
    server,
    upstreams: upstreams.map((upstream) => toRelayed(upstream, offered)),
    isListed: (tool, ctx) => offered.isListed("tools", tool, ctx),
    upstreamOf: (kind, name, ctx) => offered.upstreamOf(kind, name, ctx)?.name,
    close: async () => void (await Promise.all(upstreams.map((upstream) => upstream.close()))),
  };
}

/** Tells those who watch a resource that it has changed: all, or the principal whose it is. */
function announceUpdate({ resources }: Server, principal: string | undefined, uri: string): void {
  if (principal === undefined) resources.updated(uri);
  else resources.updated(uri, { principal: { id: principal } });
}

function toRelayed<V extends ViewOptions>(upstream: Upstream<V>, offered: Offered): RelayedUpstream<V> {
  const forEach = async (work: (view: Upstream<V>["views"][number]) => Promise<void>): Promise<void> => {
    await Promise.all(upstream.views.map(work));
  };
  return {
    name: upstream.name,
    get views() {
      return upstream.views;
    },
    status: () => describeUpstream(upstream, offered),
    ready: async (principal) => upstream.viewOf(principal)?.ready(),
    restart: () => forEach((view) => view.restart()),
    loginsChanged: () => forEach((view) => view.loginsChanged()),
    offerAgain() {
      for (const view of upstream.views) if (view.catalog.listing !== undefined) offered.offer(upstream, view);
    },
    close: () => upstream.close(),
  };
}
