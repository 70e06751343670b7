/** The official SDK, version 1: one server and transport per request (stateless) or per session. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpServer } from "sdk-v1/server/mcp.js";
import type { Wiring } from "../workload/scenario.ts";
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import { type Contender, echoBlocks, listenOn, missingVariant } from "./contender.ts";

export const contender: Contender = {
  name: "v1",
  packages: ["sdk-v1"],
  offer(wiring) {
    if (wiring.transport === "websocket") return "no WebSocket";
    if (wiring.era === "legacy") return { wiring };
    if (wiring.transport === "http") return "no modern";
    const missing = missingVariant(wiring);
    if (missing !== undefined) return missing;
    return { wiring: { ...wiring, era: "legacy" }, note: "legacy" };
  },
  async serve(wiring) {
    if (wiring.transport === "stdio") {
      const { StdioServerTransport } = await import("sdk-v1/server/stdio.js");
      const build = await createFactory(wiring);
      await build().connect(new StdioServerTransport());
      return undefined;
    }
    return wiring.sessions ? serveSessions(wiring) : serveStateless(wiring);
  },
};

/** Returns what builds a server, since one serves a single connection only. */
export async function createFactory({ tools, variant }: Pick<Wiring, "tools" | "variant">): Promise<() => McpServer> {
  const { McpServer: Server } = await import("sdk-v1/server/mcp.js");
  const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
  const names = nameTools(tools);
  return () => {
    const server = new Server({ name: "bench", version: "1.0.0" });
    for (const name of names) {
      if (name === echoTool.name) {
        const { description } = echoTool;
        server.registerTool(name, { description, inputSchema: echoInput }, async ({ text }) => ({
          content: echoBlocks(text, variant),
        }));
      } else if (name === sumTool.name) {
        const { description } = sumTool;
        server.registerTool(name, { description, inputSchema: sumInput, outputSchema: sumOutput }, async ({ a, b }) => {
          const structuredContent = { sum: a + b };
          return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
        });
      } else {
        const description = describeSearch(name);
        server.registerTool(name, { description, inputSchema: searchInput }, async ({ query }) => ({
          content: [{ type: "text", text: query }],
        }));
      }
    }
    return server;
  };
}

async function serveStateless(wiring: Wiring): Promise<number> {
  const { answers } = wiring;
  const { createServer } = await import("node:http");
  const { StreamableHTTPServerTransport } = await import("sdk-v1/server/streamableHttp.js");
  const build = await createFactory(wiring);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const server = build();
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: answers === "json" });
    response.on("close", () => {
      void transport.close();
      void server.close();
    });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response);
  };
  return listenOn(createServer((request, response) => void handle(request, response)));
}

async function serveSessions(wiring: Wiring): Promise<number> {
  const { answers } = wiring;
  const { createServer } = await import("node:http");
  const { StreamableHTTPServerTransport } = await import("sdk-v1/server/streamableHttp.js");
  const build = await createFactory(wiring);
  const sessions = new Map<string, InstanceType<typeof StreamableHTTPServerTransport>>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: answers === "json",
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = build();
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport.handleRequest(request, response);
  };
  return listenOn(createServer((request, response) => void handle(request, response)));
}
