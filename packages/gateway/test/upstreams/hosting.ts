/** A server with upstreams, served over HTTP, without the rest of a gateway. */
import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import type { RelayEvent } from "@toolwire/relay";
import { AuthError, createServer, passOn, tool, type Server, type ToolDefinition } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { onTestFinished } from "vitest";
import type { UpstreamConfig } from "../../src/config/config.ts";
import type { Call } from "../../src/routes/call.ts";
import type { ToolRoute } from "../../src/routes/tool-route.ts";
import { openUpstreams } from "../../src/upstreams/open-upstreams.ts";
import type { Upstream, UpstreamOptions } from "../../src/upstreams/upstream.ts";

export { commandOf, ERAS, overHttp, overWebSocket } from "../../../relay/test/servers.ts";

/** A server with upstreams that runs. */
export interface Hosting {
  readonly url: string;
  readonly server: Server;
  readonly upstreams: readonly Upstream[];
  /** What the operator was told. */
  readonly events: RelayEvent[];
  /** Connects as a principal, or as nobody. */
  connect(options?: ConnectOptions & { readonly as?: string }): Promise<Client>;
}

/** Serves a server with these upstreams until the end of the test. A bearer token is the id of a principal. */
export async function host(
  configs: { readonly [name: string]: UpstreamConfig },
  options: Partial<UpstreamOptions> & { readonly tools?: { readonly [name: string]: ToolDefinition } } = {},
): Promise<Hosting> {
  const { tools = {}, ...further } = options;
  const events: RelayEvent[] = [];
  const prepared = Object.entries(configs).map(([name, config]) => {
    const upstreamOptions: UpstreamOptions = {
      resolve: (text, principal) => text.replaceAll("${secret:token}", `token-of-${principal ?? "all"}`),
      hidden: (principal) => [`token-of-${principal ?? "all"}`],
      report: (event) => events.push(event),
      ...further,
    };
    return [name, { config, options: upstreamOptions }] as const;
  });
  const { relay, upstreams } = openUpstreams(Object.fromEntries(prepared), {
    slug: "test",
    server: (parts) =>
      createServer({
        name: "gateway",
        version: "0.0.0",
        ...parts,
        tools,
        onDiagnostic: ({ message, error }) => events.push({ level: "error", upstream: "(gateway)", message, error }),
      }),
    addTool: (name, route) => relay.server.tools.add(name, toTool(name, route)),
    removeTool: (name) => void relay.server.tools.remove(name),
  });
  const server: Server = relay.server;
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

/** A tool that runs the steps of a call, one after the other. */
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
        failure: undefined,
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
