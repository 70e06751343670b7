// A server on version 2 of the official SDK, for both eras.

import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { toNodeHandler, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { z } from "zod";
import { STANDARD } from "../steps/script.ts";
import { counter, listen, transport, waitForever } from "./program.ts";

if (transport === "stdio") serveStdio(makeServer);
else {
  const handle = toNodeHandler(createMcpHandler(makeServer));
  // Its optional members are not declared as this project's compiler settings want them.
  await listen((request, response) => void handle(request as NodeIncomingMessageLike, response), "/mcp");
}

function makeServer(): McpServer {
  const server = new McpServer({ name: "v2", version: "1.0.0" });
  const answer = (text: string) => ({ content: [{ type: "text" as const, text }] });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => answer(text));
  server.registerTool(
    "add",
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...answer(`${a} + ${b}`), structuredContent: { sum: a + b } }),
  );
  server.registerTool("fail", {}, () => {
    throw new Error("This tool always fails.");
  });
  server.registerTool("count", { inputSchema: z.object({ steps: z.int() }) }, async ({ steps }, ctx) => {
    for (let step = 1; step <= steps; step++) await report(ctx, step);
    return answer(`Counted to ${steps}.`);
  });
  server.registerTool("wait", {}, async (ctx) => {
    await report(ctx, 0);
    await waitForever(ctx.mcpReq.signal);
    return answer("Cancelled.");
  });
  server.registerTool("cancelled", {}, () => answer(String(counter.cancelled)));
  server.registerTool("ask", {}, (ctx) => {
    const schema = z.object({ name: z.string() });
    const content = acceptedContent(ctx.mcpReq.inputResponses, "name", schema);
    if (content !== undefined) return answer(`Hello, ${content.name}!`);
    const question = inputRequired.elicit({ message: "Your name?", requestedSchema: schema });
    return inputRequired({ inputRequests: { name: question } });
  });
  server.registerResource("hello", STANDARD.read.uri, { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: STANDARD.read.text }],
  }));
  server.registerPrompt("greet", { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Say hello to ${name}.` } }],
  }));
  return server;
}

async function report(ctx: ServerContext, progress: number): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
}
