import { createRelay, type Relay, type RelayedUpstream, type RelayOptions } from "@toolwire/relay";
import { AuthError, type Server } from "@toolwire/server";
import type { UpstreamConfig } from "../config/config.ts";
import { readDuration } from "../config/durations.ts";
import type { LoginTarget } from "../logins/login-target.ts";
import type { ToolRoute } from "../routes/tool-route.ts";
import { createView, type GatewayView } from "./gateway-view.ts";
import { createResultLimit, type LimitResult } from "./limit-result.ts";
import { mcpRoute } from "./mcp-route.ts";
import { kindOf } from "./target.ts";
import { oauthOptionsOf } from "./upstream-auth.ts";
import type { Upstream, UpstreamOptions, UpstreamStatus } from "./upstream.ts";

/** How many connections legacy servers may take over the network for calls that they could ask something. */
const MAX_SESSIONS = 64;

/** The server of the gateway that gets what upstreams offer. */
export interface HostedServer<S extends Server> extends Pick<RelayOptions<S, GatewayView>, "server" | "tasks"> {
  readonly slug: string;
  /** Offers a tool. Throws a `UsageError` if the name is taken, or if the tool cannot be offered. */
  addTool(name: string, route: ToolRoute): void;
  removeTool(name: string): void;
}

/** An upstream as it is configured, with the parts of the gateway that it uses. */
export interface PreparedUpstream {
  readonly config: UpstreamConfig;
  readonly options: UpstreamOptions;
}

/**
 * Makes a server with upstreams, in the order of the configuration: the first one that has a name keeps it. Nothing is connected
 * yet: that happens when lists are asked for, or with the first call.
 *
 * @throws UsageError if a configuration says neither what to start nor where to connect to
 */
export function openUpstreams<S extends Server>(
  prepared: { readonly [name: string]: PreparedUpstream },
  hosted: HostedServer<S>,
): { readonly relay: Relay<S, GatewayView>; readonly upstreams: readonly Upstream[] } {
  const entries = Object.entries(prepared);
  const limits = new Map<string, LimitResult>(entries.map(([name, { config }]) => [name, createResultLimit(config)]));
  const relay = createRelay<S, GatewayView>({
    upstreams: Object.fromEntries(entries.map(([name, each]) => [name, relayedAs(name, each)])),
    server: (parts) => hosted.server(parts),
    tasks: hosted.tasks,
    tools: {
      add: (name, tool) => hosted.addTool(name, mcpRoute(tool, limits.get(tool.upstream)!)),
      remove: (name) => hosted.removeTool(name),
    },
    report: (event) => prepared[event.upstream]?.options.report?.(event),
  });
  const upstreams = entries.map(([name, each], index) =>
    toUpstream(hosted.slug, name, each, relay.upstreams[index] as RelayedUpstream<GatewayView>),
  );
  return { relay, upstreams };
}

function relayedAs(
  name: string,
  { config, options }: PreparedUpstream,
): RelayOptions<Server, GatewayView>["upstreams"][string] {
  const kind = kindOf(name, config);
  return {
    view: (principal) => createView(name, config, options, principal),
    perPrincipal: config.perUser,
    maxPrincipals: options.maxUsers,
    prefix: config.prefix,
    timeout: durationOf(config.timeout),
    idleTimeout: durationOf(config.idleTimeout),
    maxConnections: kind === "stdio" ? undefined : MAX_SESSIONS,
    isHttp: kind === "http",
  };
}

function toUpstream(
  slug: string,
  name: string,
  { config, options }: PreparedUpstream,
  relayed: RelayedUpstream<GatewayView>,
): Upstream {
  const kind = kindOf(name, config);
  const loginTarget = loginTargetOf(config, options);
  const logins = loginTarget && (loginTarget.isShared ? "shared" : "perUser");
  const views = (): readonly GatewayView[] => relayed.views.map((view) => view.options);
  return {
    name,
    config,
    loginTarget,
    status(): UpstreamStatus {
      const { failure, ...status } = relayed.status();
      return {
        name,
        kind,
        ...status,
        ...(failure !== undefined && { error: explainFailure(slug, name, failure) }),
        ...(logins !== undefined && { logins }),
        changedTools: [...new Set(views().flatMap(({ changes }) => changes.names))],
      };
    },
    ready: (principal) => relayed.ready(principal),
    restart() {
      for (const view of views()) view.reset();
      return relayed.restart();
    },
    loginsChanged: () => relayed.loginsChanged(),
    accept() {
      for (const { changes } of views()) changes.accept();
      relayed.offerAgain();
    },
    close: () => relayed.close(),
  };
}

function loginTargetOf(config: UpstreamConfig, options: UpstreamOptions): LoginTarget | undefined {
  const { auth, url } = config;
  if (auth === undefined || url === undefined || !("oauth" in auth)) return undefined;
  return {
    url,
    isShared: auth.oauth.shared === true,
    connect: options.connect,
    // The client of the gateway is the same for all callers.
    options: () =>
      oauthOptionsOf(config, async (text) => {
        const value = await options.resolve(text, undefined);
        options.note?.(value);
        return value;
      }),
  };
}

function explainFailure(slug: string, name: string, failure: Error): string {
  if (!(failure instanceof AuthError) || failure.code !== "LOGIN_REQUIRED") return failure.message;
  const command = `toolwire-gateway login ${slug}/${name}`;
  return `Nobody is logged in at it, or the login has ended. Log in on the page, or with \`${command}\`.`;
}

function durationOf(value: number | string | undefined): number | undefined {
  return value === undefined ? undefined : readDuration(value);
}
