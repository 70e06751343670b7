/** The official SDK, version 2: a server object per HTTP request, as its serving guide shows. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Wiring } from "../workload/scenario.ts";
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import { type Contender, listenOn } from "./contender.ts";

export const contender: Contender = {
  name: "v2",
  packages: ["@modelcontextprotocol/server", "@modelcontextprotocol/node"],
  offer: (wiring) => (wiring.transport === "websocket" ? "no WebSocket" : { wiring }),
  async serve(wiring) {
    if (wiring.transport === "stdio") {
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      serveStdio(await createFactory(wiring.tools));
      return undefined;
    }
    if (wiring.era === "modern") return serveModern(wiring);
    return wiring.sessions ? serveSessions(wiring) : serveStateless(wiring);
  },
};

/** Returns what builds a server, since nearly every binding wants a new one for each request or connection. */
export async function createFactory(tools: number): Promise<() => McpServer> {
  const { McpServer: Server } = await import("@modelcontextprotocol/server");
  const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
  const names = nameTools(tools);
  return () => {
    const server = new Server({ name: "bench", version: "1.0.0" });
    for (const name of names) {
      if (name === echoTool.name) {
        const { description } = echoTool;
        server.registerTool(name, { description, inputSchema: echoInput }, async ({ text }) => ({
          content: [{ type: "text", text }],
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

async function serveModern({ answers, tools }: Wiring): Promise<number> {
  const { createServer } = await import("node:http");
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const { localhostHostValidation, localhostOriginValidation, toNodeHandler } =
    await import("@modelcontextprotocol/node");
  const isHostValid = localhostHostValidation();
  const isOriginValid = localhostOriginValidation();
  const handle = toNodeHandler(
    createMcpHandler(await createFactory(tools), { responseMode: answers === "json" ? "auto" : "sse" }),
  );
  return listenOn(
    createServer((request, response) => {
      if (!isHostValid(request, response) || !isOriginValid(request, response)) return;
      // Its types do not allow for `exactOptionalPropertyTypes`.
      void handle(request as Parameters<typeof handle>[0], response);
    }),
  );
}

async function serveStateless({ answers, tools }: Wiring): Promise<number> {
  const { createServer } = await import("node:http");
  const { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/node");
  const isHostValid = localhostHostValidation();
  const isOriginValid = localhostOriginValidation();
  const build = await createFactory(tools);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const transport = new NodeStreamableHTTPServerTransport({ enableJsonResponse: answers === "json" });
    await build().connect(transport);
    await transport.handleRequest(request, response);
  };
  return listenOn(
    createServer((request, response) => {
      if (isHostValid(request, response) && isOriginValid(request, response)) void handle(request, response);
    }),
  );
}

async function serveSessions({ answers, tools }: Wiring): Promise<number> {
  const { createServer } = await import("node:http");
  const { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/node");
  const isHostValid = localhostHostValidation();
  const isOriginValid = localhostOriginValidation();
  const build = await createFactory(tools);
  const sessions = new Map<string, InstanceType<typeof NodeStreamableHTTPServerTransport>>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: answers === "json",
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await build().connect(transport);
    return transport.handleRequest(request, response);
  };
  return listenOn(
    createServer((request, response) => {
      if (isHostValid(request, response) && isOriginValid(request, response)) void handle(request, response);
    }),
  );
}
