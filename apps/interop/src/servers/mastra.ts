// A server on Mastra. It speaks only 2026-07-28.

import type { IncomingMessage, ServerResponse } from "node:http";
import { importFetched } from "../fetched/import-fetched.ts";
import { STANDARD } from "../steps/script.ts";
import { counter, listen, transport, waitForever } from "./program.ts";

interface Zod {
  object(shape: object): unknown;
  string(): unknown;
  number(): unknown;
}

interface ToolContext {
  readonly mcp: { readonly extra: { readonly signal: AbortSignal }; progress(report: object): Promise<void> };
  readonly suspend: (payload: object) => Promise<void>;
  readonly resumeData?: { readonly name: string };
}

interface ToolOptions {
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly suspendSchema?: unknown;
  readonly resumeSchema?: unknown;
  readonly execute: (args: { readonly [name: string]: unknown }, context: ToolContext) => unknown;
}

interface MastraTools {
  readonly createTool: (tool: ToolOptions & { readonly id: string }) => unknown;
}

interface MastraServer {
  startStdio(): Promise<void>;
  startHTTP(options: { url: URL; httpPath: string; req: IncomingMessage; res: ServerResponse }): Promise<void>;
}

const { z } = await importFetched<{ readonly z: Zod }>("zod");
const { createTool } = await importFetched<MastraTools>("@mastra/core/tools");
const { MCPServer } = await importFetched<{ readonly MCPServer: new (options: object) => MastraServer }>("@mastra/mcp");

const tools: { readonly [name: string]: ToolOptions } = {
  echo: {
    description: "Repeats a text",
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => text,
  },
  add: {
    description: "Adds two numbers",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    execute: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
  },
  fail: {
    description: "Fails",
    execute: () => Promise.reject(new Error("This tool always fails.")),
  },
  count: {
    description: "Counts, and reports each step",
    inputSchema: z.object({ steps: z.number() }),
    async execute({ steps }, { mcp }) {
      for (let step = 1; step <= Number(steps); step++) await mcp.progress({ progress: step, total: Number(steps) });
      return `Counted to ${String(steps)}.`;
    },
  },
  wait: {
    description: "Waits until it is cancelled",
    async execute(_args, { mcp }) {
      await mcp.progress({ progress: 0 });
      await waitForever(mcp.extra.signal);
      return "Cancelled.";
    },
  },
  cancelled: {
    description: "Says how many calls were cancelled",
    execute: () => String(counter.cancelled),
  },
  ask: {
    description: "Asks for a name",
    suspendSchema: z.object({ message: z.string() }),
    resumeSchema: z.object({ name: z.string() }),
    async execute(_args, { suspend, resumeData }) {
      if (resumeData !== undefined) return `Hello, ${resumeData.name}!`;
      await suspend({ message: "Your name?" });
      return undefined;
    },
  },
};

const server = new MCPServer({
  id: "mastra",
  name: "mastra",
  version: "1.0.0",
  tools: Object.fromEntries(Object.entries(tools).map(([id, tool]) => [id, createTool({ id, ...tool })])),
  resources: {
    listResources: () => Promise.resolve([{ uri: STANDARD.read.uri, name: "hello", mimeType: "text/plain" }]),
    getResourceContent: () => Promise.resolve({ text: STANDARD.read.text }),
  },
  prompts: {
    listPrompts: () => Promise.resolve([{ name: "greet", arguments: [{ name: "name", required: true }] }]),
    getPromptMessages: ({ args }: { readonly args: { readonly name: string } }) =>
      Promise.resolve([{ role: "user", content: { type: "text", text: `Say hello to ${args.name}.` } }]),
  },
});

if (transport === "stdio") await server.startStdio();
else {
  await listen((req, res) => {
    const url = new URL(req.url ?? "/", "http://127.0.0.1");
    void server.startHTTP({ url, httpPath: "/mcp", req, res });
  }, "/mcp");
}
