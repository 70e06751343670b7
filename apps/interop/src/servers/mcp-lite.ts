// A server on mcp-lite, with sessions, on Hono's adapter for Node.

import { getRequestListener } from "@hono/node-server";
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { STANDARD } from "../steps/script.ts";
import { listen } from "./program.ts";

const server = new McpServer({
  name: "mcp-lite",
  version: "1.0.0",
  schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
});
const answer = (text: string) => ({ content: [{ type: "text" as const, text }] });

server.tool("echo", {
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => answer(text),
});
server.tool("add", {
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ ...answer(`${a} + ${b}`), structuredContent: { sum: a + b } }),
});
server.tool("fail", {
  handler: () => ({ ...answer("This tool always fails."), isError: true }),
});
server.tool("count", {
  inputSchema: z.object({ steps: z.int() }),
  async handler({ steps }, ctx) {
    for (let step = 1; step <= steps; step++) await ctx.progress?.({ progress: step, total: steps });
    return answer(`Counted to ${steps}.`);
  },
});
server.tool("wait", {
  handler: () => new Promise<never>(() => undefined),
});
server.tool("ask", {
  async handler(_args, ctx) {
    // A zod schema would not do here: `z.toJSONSchema` returns what mcp-lite takes for a schema still to be converted.
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const { content } = await ctx.elicit<{ name: string }>({ message: "Your name?", schema });
    return answer(`Hello, ${String(content?.name)}!`);
  },
});
server.resource(STANDARD.read.uri, { name: "hello", mimeType: "text/plain" }, (uri) =>
  Promise.resolve({ contents: [{ uri: uri.href, type: "text", text: STANDARD.read.text }] }),
);
server.prompt<{ name: string }>("greet", {
  arguments: z.object({ name: z.string() }),
  handler: ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Say hello to ${name}.` } }] }),
});

const handle = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter(),
}).bind(server);

await listen(
  getRequestListener((request) => handle(request)),
  "/mcp",
);
