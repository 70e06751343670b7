/** mcp-lite: its fetch handler on `node:http`, through the adapter of Hono, the framework that it documents. */
import type { ZodType } from "zod";
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import { type Contender, listenOn } from "./contender.ts";

export const contender: Contender = {
  name: "mcp-lite",
  packages: ["mcp-lite"],
  offer(wiring) {
    if (wiring.transport === "stdio") return "no stdio";
    if (wiring.transport === "websocket") return "no WebSocket";
    if (wiring.transport === "memory") return "no client";
    if (wiring.era === "modern") return "no modern";
    // It streams to everyone who would take a stream.
    return wiring.answers === "json" ? { wiring, accept: "application/json" } : { wiring };
  },
  async serve({ tools, sessions }) {
    const { createServer } = await import("node:http");
    const { getRequestListener } = await import("@hono/node-server");
    const { InMemorySessionAdapter, McpServer, StreamableHttpTransport } = await import("mcp-lite");
    const { z } = await import("zod");
    const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
    const server = new McpServer({
      name: "bench",
      version: "1.0.0",
      schemaAdapter: (schema) => z.toJSONSchema(schema as ZodType),
    });
    for (const name of nameTools(tools)) {
      if (name === echoTool.name) {
        server.tool(name, {
          description: echoTool.description,
          inputSchema: echoInput,
          handler: async ({ text }) => ({ content: [{ type: "text", text }] }),
        });
      } else if (name === sumTool.name) {
        server.tool(name, {
          description: sumTool.description,
          inputSchema: sumInput,
          outputSchema: sumOutput,
          handler: async ({ a, b }) => {
            const structuredContent = { sum: a + b };
            return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
          },
        });
      } else {
        server.tool(name, {
          description: describeSearch(name),
          inputSchema: searchInput,
          handler: async ({ query }) => ({ content: [{ type: "text", text: query }] }),
        });
      }
    }
    const transport = new StreamableHttpTransport(
      sessions ? { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) } : {},
    );
    const handle = transport.bind(server);
    return listenOn(createServer(getRequestListener((request) => handle(request))));
  },
};
