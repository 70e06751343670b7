import type { CredentialConfig, UpstreamConfig } from "../config/config.ts";
import type { Gateway, GatewayServer, ToolInfo } from "../gateway.ts";
import { HIDDEN, redactConfig } from "./redact-config.ts";
import type { CredentialView, ServerSummary, ServerView, ToolView, UpstreamView } from "./views.ts";

/** A server as lists show it. */
export function summarize(gateway: Gateway, server: GatewayServer): ServerSummary {
  const active = server.tools.filter((tool) => tool.status === "active");
  return {
    slug: server.slug,
    title: server.config.title,
    description: server.config.description,
    status: server.status,
    isFromFile: server.isFromFile,
    revision: revisionOf(gateway, server.slug),
    endpoint: `${gateway.publicUrl}/mcp/${server.slug}`,
    access: accessOf(server),
    toolCount: server.tools.length,
    activeToolCount: active.length,
    tokens: active.reduce((sum, tool) => sum + tool.tokens, 0),
    upstreamCount: server.upstreams.length,
    problems: server.problems,
  };
}

function accessOf({ takesKeys, takesTokens }: GatewayServer): ServerSummary["access"] {
  if (takesTokens) return takesKeys ? "keys-or-tokens" : "tokens";
  return takesKeys ? "keys" : "open";
}

/** A server with everything that can be known about it, and no secret. */
export function viewServer(gateway: Gateway, server: GatewayServer): ServerView {
  return {
    ...summarize(gateway, server),
    config: redactConfig(server.config),
    tools: server.tools.map(viewTool),
    upstreams: viewUpstreams(server),
    credentials: viewCredentials(server),
  };
}

/** The revision of a server that was made through the admin API. */
export function revisionOf(gateway: Gateway, slug: string): number | undefined {
  return gateway.storage.servers.list().find((server) => server.slug === slug)?.revision;
}

/** The upstreams of a server. */
export function viewUpstreams(server: GatewayServer): readonly UpstreamView[] {
  return server.upstreams.map((upstream) => ({
    ...upstream.status(),
    server: server.slug,
    target: describeTarget(upstream.config),
    isPinned: upstream.config.pin === true,
  }));
}

/** The credentials of a server: whether they are set, and never their values. */
export function viewCredentials(server: GatewayServer): readonly CredentialView[] {
  return server.credentials.map(({ name, kind, isSet, perUser }) => ({
    server: server.slug,
    name,
    kind,
    isSet,
    perUser,
    secrets: findSecretNames(server.config.credentials?.[name]),
  }));
}

function viewTool({ listing, rewritten, source, status, bytes, tokens }: ToolInfo): ToolView {
  return {
    name: listing.name,
    title: listing.title,
    description: listing.description,
    source,
    status,
    bytes,
    tokens,
    inputSchema: listing.inputSchema as ToolView["inputSchema"],
    rewritten,
    outputSchema: listing.outputSchema as ToolView["outputSchema"],
    annotations: listing.annotations,
  };
}

function describeTarget(config: UpstreamConfig): string {
  const { command, args, url } = redactConfig({
    command: config.command,
    args: config.args ?? [],
    url: config.url,
  }) as {
    readonly command?: string;
    readonly args: readonly string[];
    readonly url?: string;
  };
  return url ?? [command ?? HIDDEN, ...args].join(" ");
}

/** The names in `${secret:name}`, wherever they are in a credential. */
function findSecretNames(credential: CredentialConfig | undefined): readonly string[] {
  const text = JSON.stringify(credential ?? {});
  return [...new Set(Array.from(text.matchAll(/\$\{secret:([^{}"]{1,128})\}/g), (match) => match[1] ?? ""))];
}
