/** tmcp with its zod adapter; HTTP through Hono's adapter to `node:http`, the leanest for a web-standard handler. */
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import { type Contender, echoBlocks, listenOn, missingVariant } from "./contender.ts";

export const contender: Contender = {
  name: "tmcp",
  packages: ["tmcp", "@tmcp/transport-http", "@tmcp/transport-stdio", "@tmcp/adapter-zod"],
  offer(wiring) {
    if (wiring.transport === "websocket") return "no WebSocket";
    if (wiring.transport === "memory") return "no client";
    const missing = missingVariant(wiring);
    if (missing !== undefined) return missing;
    if (wiring.transport === "http" && wiring.answers === "json") {
      return { wiring: { ...wiring, answers: "sse" }, note: "SSE" };
    }
    return { wiring };
  },
  async serve({ transport, tools, variant }) {
    const { McpServer } = await import("tmcp");
    const { ZodJsonSchemaAdapter } = await import("@tmcp/adapter-zod");
    const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
    const server = new McpServer(
      { name: "bench", version: "1.0.0", description: "Benchmark" },
      { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
    );
    for (const name of nameTools(tools)) {
      if (name === echoTool.name) {
        const { description } = echoTool;
        server.tool({ name, description, schema: echoInput }, async ({ text }) => ({
          content: echoBlocks(text, variant),
        }));
      } else if (name === sumTool.name) {
        const { description } = sumTool;
        server.tool({ name, description, schema: sumInput, outputSchema: sumOutput }, async ({ a, b }) => {
          const structuredContent = { sum: a + b };
          return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
        });
      } else {
        server.tool({ name, description: describeSearch(name), schema: searchInput }, async ({ query }) => ({
          content: [{ type: "text", text: query }],
        }));
      }
    }
    if (transport === "stdio") {
      const { StdioTransport } = await import("@tmcp/transport-stdio");
      new StdioTransport(server).listen();
      return undefined;
    }
    const { createServer } = await import("node:http");
    const { getRequestListener } = await import("@hono/node-server");
    const { HttpTransport } = await import("@tmcp/transport-http");
    const http = new HttpTransport(server, { path: "/mcp" });
    return listenOn(
      createServer(
        getRequestListener(async (request) => (await http.respond(request)) ?? new Response(null, { status: 404 })),
      ),
    );
  },
};
