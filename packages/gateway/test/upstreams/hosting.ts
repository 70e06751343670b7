/** A server with upstreams, served over HTTP, without the rest of a gateway. */
import type { RelayEvent } from "@toolwire/relay";
import { createServer, passOn, tool, type Server, type ToolDefinition } from "@toolwire/server";
import { type Hosting, serveUntilEnd, tellTo } from "../../../relay/test/hosting.ts";
import type { UpstreamConfig } from "../../src/config/config.ts";
import type { Call } from "../../src/routes/call.ts";
import type { ToolRoute } from "../../src/routes/tool-route.ts";
import { openUpstreams } from "../../src/upstreams/open-upstreams.ts";
import type { Upstream, UpstreamOptions } from "../../src/upstreams/upstream.ts";

export type { Hosting } from "../../../relay/test/hosting.ts";
export { commandOf, ERAS, overHttp, overWebSocket } from "../../../relay/test/servers.ts";

/** Serves a server with these upstreams until the end of the test. A bearer token is the id of a principal. */
export async function host(
  configs: { readonly [name: string]: UpstreamConfig },
  options: Partial<UpstreamOptions> & { readonly tools?: { readonly [name: string]: ToolDefinition } } = {},
): Promise<Hosting<Upstream>> {
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
      createServer({ name: "gateway", version: "0.0.0", ...parts, tools, onDiagnostic: tellTo(events) }),
    addTool: (name, route) => relay.server.tools.add(name, toTool(name, route)),
    removeTool: (name) => void relay.server.tools.remove(name),
  });
  const server: Server = relay.server;
  return serveUntilEnd({ server, upstreams, events }, () => Promise.all(upstreams.map((upstream) => upstream.close())));
}

/** A tool that runs the steps of a call, one after the other. */
function toTool(name: string, route: ToolRoute): ToolDefinition {
  const { title, description, input, output, annotations, icons, _meta } = route;
  return tool({
    title,
    description,
    input,
    ...(output !== undefined && { output }),
    ...(route.task !== undefined && { task: route.task }),
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
