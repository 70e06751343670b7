/** A server with upstreams, served over HTTP, without the rest of a gateway. */
import { fileURLToPath } from "node:url";
import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import { untrustedSchemaValidator } from "@toolwire/json-schema";
import type { Era } from "@toolwire/protocol";
import { AuthError, createServer, passOn, tool, type Server, type ToolDefinition } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import { onTestFinished } from "vitest";
import type { UpstreamConfig } from "../../src/config/config.ts";
import type { Call } from "../../src/routes/call.ts";
import type { ToolRoute } from "../../src/routes/tool-route.ts";
import { createUpstreamHost, type UpstreamHost } from "../../src/upstreams/host.ts";
import { openUpstream } from "../../src/upstreams/open-upstream.ts";
import type { HostedServer, Upstream, UpstreamEvent, UpstreamOptions } from "../../src/upstreams/upstream.ts";

/** A server with upstreams that runs. */
export interface Hosting {
  readonly url: string;
  readonly server: Server;
  readonly upstreams: readonly Upstream[];
  /** What the operator was told. */
  readonly events: UpstreamEvent[];
  /** Connects as a principal, or as nobody. */
  connect(options?: ConnectOptions & { readonly as?: string }): Promise<Client>;
}

/** Serves a server with these upstreams until the end of the test. A bearer token is the id of a principal. */
export async function host(
  configs: { readonly [name: string]: UpstreamConfig },
  options: Partial<UpstreamOptions> & { readonly tools?: { readonly [name: string]: ToolDefinition } } = {},
): Promise<Hosting> {
  const { tools = {}, ...further } = options;
  const events: UpstreamEvent[] = [];
  const parts: { host?: UpstreamHost } = {};
  const server = createServer({
    name: "gateway",
    version: "0.0.0",
    validator: untrustedSchemaValidator,
    middleware: [(call, next) => parts.host!.middleware(call, next)],
    tools,
    onDiagnostic: ({ message, error }) => events.push({ level: "error", upstream: "(gateway)", message, error }),
  });
  parts.host = createUpstreamHost(hosted(server));
  const upstreams = Object.entries(configs).map(([name, config]) =>
    openUpstream(name, config, parts.host!, {
      resolve: (text, principal) => text.replaceAll("${secret:token}", `token-of-${principal ?? "all"}`),
      hidden: (principal) => [`token-of-${principal ?? "all"}`],
      report: (event) => events.push(event),
      ...further,
    }),
  );
  const serving = await serveHttp(server, {
    port: 0,
    authenticate(request) {
      const token = request.header("authorization")?.replace("Bearer ", "");
      if (token === "bad") throw new AuthError("UNAUTHORIZED", "No.");
      return { id: token ?? "nobody" };
    },
  });
  const clients: Client[] = [];
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await serving.close();
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  });
  return {
    url: serving.url,
    server,
    upstreams,
    events,
    async connect({ as, ...connectOptions } = {}) {
      const http = { headers: { ...(as !== undefined && { authorization: `Bearer ${as}` }) } };
      const client = await connect(serving.url, { http, memory: false, ...connectOptions });
      clients.push(client);
      return client;
    },
  };
}

/** A server whose tools run the steps of a call, one after the other. */
function hosted(server: Server): HostedServer {
  return {
    slug: "test",
    server,
    addTool: (name, route) => server.tools.add(name, toTool(name, route)),
    removeTool: (name) => void server.tools.remove(name),
  };
}

function toTool(name: string, route: ToolRoute): ToolDefinition {
  const { title, description, input, output, annotations, icons, _meta } = route;
  return tool({
    title,
    description,
    input,
    ...(output !== undefined && { output }),
    annotations,
    icons,
    _meta,
    async run(args, ctx) {
      const call: Call = {
        id: "1",
        server: "test",
        tool: name,
        principal: ctx.principal?.id,
        steps: {},
        httpStatus: undefined,
        attempts: 0,
        firstByteMs: undefined,
        responseBytes: 0,
        isTruncated: false,
        secrets: undefined,
        forwarded: undefined,
        signal: new AbortController().signal,
        cancellation: { onAbort() {}, offAbort() {} },
      };
      const request = await route.authorize(route.resolve(args as object, call), call, ctx);
      return passOn(route.transform(await route.send(request, call, ctx), call, args as object));
    },
  }) as ToolDefinition;
}

/** The command that runs a TypeScript file with the sources of this repository. */
export function commandOf(file: string, ...args: string[]): { command: string; args: string[] } {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return { command: process.execPath, args: ["--conditions=@toolwire/source", "--import", "tsx", path, ...args] };
}

/** Serves a server over HTTP until the end of the test. */
export async function overHttp(
  server: Server,
  options: Partial<Parameters<typeof serveHttp>[1]> = {},
): Promise<string> {
  const serving = await serveHttp(server, { port: 0, ...options });
  onTestFinished(() => serving.close());
  return serving.url;
}

/** Serves a server over WebSocket until the end of the test. */
export async function overWebSocket(server: Server): Promise<string> {
  const serving = await serveWebSocket(server, { port: 0 });
  onTestFinished(() => serving.close());
  return serving.url;
}

/** The other era. */
export const ERAS: readonly Era[] = ["modern", "legacy"];
