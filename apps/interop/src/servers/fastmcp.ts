// A server on fastmcp.

import { FastMCP, UserError } from "fastmcp";
import { z } from "zod";
import { STANDARD } from "../steps/script.ts";
import { announce, counter, findFreePort, transport, waitForever } from "./program.ts";

const quiet = (): void => undefined;
const server = new FastMCP({
  name: "fastmcp",
  version: "1.0.0",
  logger: { debug: quiet, error: quiet, info: quiet, log: quiet, warn: quiet },
});

server.addTool({
  name: "echo",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => Promise.resolve(text),
});
server.addTool({
  name: "add",
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: ({ a, b }) =>
    Promise.resolve({ content: [{ type: "text", text: `${a} + ${b}` }], structuredContent: { sum: a + b } }),
});
server.addTool({
  name: "fail",
  execute: () => Promise.reject(new UserError("This tool always fails.")),
});
server.addTool({
  name: "count",
  parameters: z.object({ steps: z.int() }),
  async execute({ steps }, { reportProgress }) {
    for (let step = 1; step <= steps; step++) await reportProgress({ progress: step, total: steps });
    return `Counted to ${steps}.`;
  },
});
server.addTool({
  name: "wait",
  async execute(_args, { reportProgress, signal }) {
    await reportProgress({ progress: 0 });
    await waitForever(signal);
    return "Cancelled.";
  },
});
server.addTool({
  name: "cancelled",
  execute: () => Promise.resolve(String(counter.cancelled)),
});
server.addTool({
  name: "ask",
  async execute(_args, { elicit }) {
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    const { content } = await elicit({ message: "Your name?", requestedSchema });
    return `Hello, ${String(content?.["name"])}!`;
  },
});
server.addResource({
  uri: STANDARD.read.uri,
  name: "hello",
  mimeType: "text/plain",
  load: () => Promise.resolve({ text: STANDARD.read.text }),
});
server.addPrompt({
  name: "greet",
  arguments: [{ name: "name", required: true }],
  load: ({ name }) => Promise.resolve(`Say hello to ${String(name)}.`),
});

if (transport === "stdio") await server.start({ transportType: "stdio" });
else {
  const port = await findFreePort();
  await server.start({ transportType: "httpStream", httpStream: { host: "127.0.0.1", port } });
  announce(`http://127.0.0.1:${port}${transport === "sse" ? "/sse" : "/mcp"}`);
}
