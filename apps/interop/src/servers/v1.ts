// A server on some version 1 of the official SDK: the low-level one, which all versions have.

/* oxlint-disable typescript/no-deprecated -- What its authors have deprecated is in use, so it is tested here. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type * as ServerModule from "sdk-v1/server/index.js";
import type * as SseModule from "sdk-v1/server/sse.js";
import type * as StdioModule from "sdk-v1/server/stdio.js";
import type * as HttpModule from "sdk-v1/server/streamableHttp.js";
import type * as TypesModule from "sdk-v1/types.js";
import { STANDARD } from "../steps/script.ts";
import { counter, listen, sdk, transport, waitForever } from "./program.ts";

type Server = ServerModule.Server;
type ToolHandlerExtra = Parameters<Parameters<Server["setRequestHandler"]>[1]>[1];

const types = (await import(`${sdk}/types.js`)) as typeof TypesModule;
const { Server: ServerClass } = (await import(`${sdk}/server/index.js`)) as typeof ServerModule;

if (transport === "stdio") await serveStdio();
else if (transport === "sse") await serveSse();
else await serveStreamableHttp();

function makeServer(): Server {
  const server = new ServerClass(
    { name: "v1", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  const noArguments = { type: "object" as const };
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: [
      { name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } },
      {
        name: "add",
        inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
        outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      },
      { name: "fail", inputSchema: noArguments },
      { name: "count", inputSchema: { type: "object", properties: { steps: { type: "integer" } } } },
      { name: "wait", inputSchema: noArguments },
      { name: "cancelled", inputSchema: noArguments },
      { name: "ask", inputSchema: noArguments },
    ],
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    const { text, ...others } = await callTool(server, params, extra);
    return { content: [{ type: "text", text }], ...others };
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: [{ uri: STANDARD.read.uri, name: "hello", mimeType: "text/plain" }],
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params }) => {
    if (params.uri !== STANDARD.read.uri) throw new types.McpError(types.ErrorCode.InvalidParams, "Unknown resource");
    return { contents: [{ uri: params.uri, mimeType: "text/plain", text: STANDARD.read.text }] };
  });
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
    prompts: [{ name: "greet", arguments: [{ name: "name", required: true }] }],
  }));
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params }) => {
    if (params.name !== "greet") throw new types.McpError(types.ErrorCode.InvalidParams, "Unknown prompt");
    const text = `Say hello to ${params.arguments?.["name"] ?? "nobody"}.`;
    return { messages: [{ role: "user", content: { type: "text", text } }] };
  });
  return server;
}

async function callTool(
  server: Server,
  {
    name,
    arguments: args = {},
    _meta,
  }: {
    name: string;
    arguments?: Record<string, unknown> | undefined;
    _meta?: { progressToken?: string | number | undefined } | undefined;
  },
  extra: ToolHandlerExtra,
): Promise<{ text: string; isError?: boolean; structuredContent?: { sum: number } }> {
  const report = async (progress: number): Promise<void> => {
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    const notification = { method: "notifications/progress" as const, params: { progressToken, progress } };
    // Early versions have one way to the client, and none that belongs to a request.
    const send = (extra as Partial<ToolHandlerExtra>).sendNotification ?? ((message) => server.notification(message));
    await send(notification);
  };
  switch (name) {
    case "echo":
      return { text: String(args["text"]) };
    case "add": {
      const structuredContent = { sum: Number(args["a"]) + Number(args["b"]) };
      return { text: JSON.stringify(structuredContent), structuredContent };
    }
    case "fail":
      return { text: "This tool always fails.", isError: true };
    case "count":
      for (let step = 1; step <= Number(args["steps"]); step++) await report(step);
      return { text: `Counted to ${String(args["steps"])}.` };
    case "wait":
      await report(0);
      await waitForever(extra.signal);
      return { text: "Cancelled." };
    case "cancelled":
      return { text: String(counter.cancelled) };
    case "ask": {
      const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
      const request = { method: "elicitation/create" as const, params: { message: "Your name?", requestedSchema } };
      const { content } = await extra.sendRequest(request, types.ElicitResultSchema);
      return { text: `Hello, ${String(content?.["name"])}!` };
    }
    default:
      throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  }
}

async function serveStdio(): Promise<void> {
  const { StdioServerTransport } = (await import(`${sdk}/server/stdio.js`)) as typeof StdioModule;
  await makeServer().connect(new StdioServerTransport());
}

async function serveSse(): Promise<void> {
  const { SSEServerTransport } = (await import(`${sdk}/server/sse.js`)) as typeof SseModule;
  const sessions = new Map<string, InstanceType<typeof SSEServerTransport>>();
  await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && pathname === "/sse") {
      const session = new SSEServerTransport("/messages", response);
      sessions.set(session.sessionId, session);
      void makeServer().connect(session);
      return;
    }
    const session = sessions.get(searchParams.get("sessionId") ?? "");
    if (session === undefined) response.writeHead(404).end();
    else void session.handlePostMessage(request, response);
  }, "/sse");
}

async function serveStreamableHttp(): Promise<void> {
  const { StreamableHTTPServerTransport } = (await import(`${sdk}/server/streamableHttp.js`)) as typeof HttpModule;
  type HttpTransport = HttpModule.StreamableHTTPServerTransport;
  const sessions = new Map<string, HttpTransport>();
  const findSession = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<HttpTransport | undefined> => {
    const id = request.headers["mcp-session-id"];
    if (typeof id === "string") {
      const known = sessions.get(id);
      if (known === undefined) response.writeHead(404).end();
      return known;
    }
    const opened: HttpTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sessionId) => void sessions.set(sessionId, opened),
    });
    await makeServer().connect(opened as Parameters<Server["connect"]>[0]);
    return opened;
  };
  await listen((request, response) => {
    void findSession(request, response).then((session) => session?.handleRequest(request, response));
  }, "/mcp");
}
