// A server on tmcp, for both eras, on Hono's adapter for Node.

import { getRequestListener } from "@hono/node-server";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { z } from "zod";
import { STANDARD } from "../steps/script.ts";
import { counter, listen, transport, waitForever } from "./program.ts";

const server = new McpServer(
  { name: "tmcp", version: "1.0.0", description: "Interoperability" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {}, resources: {}, prompts: {} } },
);
const answer = (text: string) => ({ content: [{ type: "text" as const, text }] });

server.tool({ name: "echo", description: "Repeats a text", schema: z.object({ text: z.string() }) }, ({ text }) =>
  answer(text),
);
server.tool(
  {
    name: "add",
    description: "Adds two numbers",
    schema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ ...answer(`${a} + ${b}`), structuredContent: { sum: a + b } }),
);
server.tool({ name: "fail", description: "Fails" }, () => ({ ...answer("This tool always fails."), isError: true }));
server.tool({ name: "count", description: "Counts", schema: z.object({ steps: z.int() }) }, ({ steps }) => {
  for (let step = 1; step <= steps; step++) server.progress(step, steps);
  return answer(`Counted to ${steps}.`);
});
server.tool({ name: "wait", description: "Waits until it is cancelled" }, async () => {
  server.progress(0);
  await waitForever(server.ctx.signal ?? new AbortController().signal);
  return answer("Cancelled.");
});
server.tool({ name: "cancelled", description: "Says how many calls were cancelled" }, () =>
  answer(String(counter.cancelled)),
);
server.tool({ name: "ask", description: "Asks for a name", replayable: true }, async () => {
  const { content } = await server.elicitation("Your name?", z.object({ name: z.string() }));
  return answer(`Hello, ${String(content?.name)}!`);
});
server.resource({ name: "hello", description: "A greeting", uri: STANDARD.read.uri }, (uri) => ({
  contents: [{ uri, mimeType: "text/plain", text: STANDARD.read.text }],
}));
server.prompt(
  { name: "greet", description: "Greets somebody", schema: z.object({ name: z.string() }) },
  ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Say hello to ${name}.` } }],
  }),
);

if (transport === "stdio") new StdioTransport(server).listen();
else {
  const http = new HttpTransport(server, { path: "/mcp" });
  const respond = async (request: Request): Promise<Response> =>
    (await http.respond(request)) ?? new Response(undefined, { status: 404 });
  await listen(getRequestListener(respond), "/mcp");
}
