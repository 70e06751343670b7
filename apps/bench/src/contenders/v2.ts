/** The official SDK, version 2: a server object per HTTP request, as its serving guide shows. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Wiring } from "../workload/scenario.ts";
import { describeSearch, echoTool, nameTools, sumTool } from "../workload/tools.ts";
import { type Contender, echoBlocks, listenOn } from "./contender.ts";

export const contender: Contender = {
  name: "v2",
  packages: ["@modelcontextprotocol/server", "@modelcontextprotocol/node"],
  offer(wiring) {
    if (wiring.transport === "websocket") return "no WebSocket";
    return wiring.variant === "middleware" ? "no middleware" : { wiring };
  },
  async serve(wiring) {
    if (wiring.transport === "stdio") {
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      serveStdio(await createFactory(wiring));
      return undefined;
    }
    if (wiring.era === "modern") return serveModern(wiring);
    return wiring.sessions ? serveSessions(wiring) : serveStateless(wiring);
  },
};

/** Returns what builds a server, since nearly every binding wants a new one for each request or connection. */
export async function createFactory({ tools, variant }: Pick<Wiring, "tools" | "variant">): Promise<() => McpServer> {
  const { fromJsonSchema, McpServer: Server } = await import("@modelcontextprotocol/server");
  const { echoInput, searchInput, sumInput, sumOutput } = await import("../workload/zod-schemas.ts");
  const names = nameTools(tools);
  // Its types want a mutable schema.
  const echoSchema =
    variant === "json-schema"
      ? fromJsonSchema<{ text: string }>(structuredClone(echoTool.inputSchema) as object)
      : echoInput;
  return () => {
    const server = new Server({ name: "bench", version: "1.0.0" });
    for (const name of names) {
      if (name === echoTool.name) {
        const { description } = echoTool;
        server.registerTool(name, { description, inputSchema: echoSchema }, async ({ text }) => ({
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

async function serveModern(wiring: Wiring): Promise<number> {
  const { answers } = wiring;
  const { createServer } = await import("node:http");
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const { localhostHostValidation, localhostOriginValidation, toNodeHandler } =
    await import("@modelcontextprotocol/node");
  const isHostValid = localhostHostValidation();
  const isOriginValid = localhostOriginValidation();
  const handle = toNodeHandler(
    createMcpHandler(await createFactory(wiring), { responseMode: answers === "json" ? "auto" : "sse" }),
  );
  return listenOn(
    createServer((request, response) => {
      if (!isHostValid(request, response) || !isOriginValid(request, response)) return;
      // Its types do not allow for `exactOptionalPropertyTypes`.
      void handle(request as Parameters<typeof handle>[0], response);
    }),
  );
}

async function serveStateless(wiring: Wiring): Promise<number> {
  const { answers } = wiring;
  const { createServer } = await import("node:http");
  const { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/node");
  const isHostValid = localhostHostValidation();
  const isOriginValid = localhostOriginValidation();
  const build = await createFactory(wiring);
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

async function serveSessions(wiring: Wiring): Promise<number> {
  const { answers } = wiring;
  const { createServer } = await import("node:http");
  const { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/node");
  const isHostValid = localhostHostValidation();
  const isOriginValid = localhostOriginValidation();
  const build = await createFactory(wiring);
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
