import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { createMemoryEngine } from "@toolwire/server/cluster";
import { createNodeHandler, type NodeHandler } from "@toolwire/server/http";
import { Client as Client132 } from "sdk-v1/client/index.js";
import { StreamableHTTPClientTransport as Http132 } from "sdk-v1/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "sdk-v1/types.js";
import { Client as Client112 } from "sdk-v1-1.12.3/client/index.js";
import { StreamableHTTPClientTransport as Http112 } from "sdk-v1-1.12.3/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const NODES = 3;

/** Several nodes behind one port, each request at the next one. */
class RoundRobin {
  readonly #engine = createMemoryEngine();
  readonly #http: HttpServer = createHttpServer((request, response) => {
    this.#turn += 1;
    this.#handlers[this.#turn % this.#handlers.length]?.(request, response);
  });
  #handlers: NodeHandler[] = [];
  #turn = 0;

  async start(): Promise<URL> {
    for (let node = 0; node < NODES; node += 1) this.#handlers.push(this.#create());
    this.#http.listen(0, "127.0.0.1");
    await once(this.#http, "listening");
    return new URL(`http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`);
  }

  #create(): NodeHandler {
    const server = createServer({
      name: "round",
      version: "1",
      onDiagnostic() {},
      tools: {
        echo: tool({ input: z.object({ n: z.number() }), run: ({ n }) => `${n}` }),
        ask: tool({
          async run(_args, ctx) {
            const { name } = await ctx.elicit("name", { message: "Name?", schema: z.object({ name: z.string() }) });
            return `Hello, ${name}!`;
          },
        }),
        steps: tool({
          async run(_args, ctx) {
            for (let step = 1; step <= 3; step += 1) ctx.progress(step, 3);
            return "done";
          },
        }),
        announce: tool({
          run() {
            server.tools.add("new", tool({ run: () => "" }));
            return "announced";
          },
        }),
      },
    });
    return createNodeHandler(server, { cluster: this.#engine.connect() });
  }

  /** Replaces all nodes, one after the other. */
  async replaceAll(between: () => Promise<unknown>): Promise<void> {
    for (let node = 0; node < NODES; node += 1) {
      const old = this.#handlers[node];
      this.#handlers[node] = this.#create();
      await old?.close();
      await between();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#handlers.map((handler) => handler.close()));
    this.#http.closeAllConnections();
    this.#http.close();
  }
}

async function startNodes(): Promise<{ nodes: RoundRobin; url: URL }> {
  const nodes = new RoundRobin();
  onTestFinished(() => nodes.close());
  return { nodes, url: await nodes.start() };
}

const text = (value: string): object => ({ content: [{ type: "text", text: value }] });

test("the official SDK keeps its session over nodes that are all replaced, and is asked, told and answered at any", async () => {
  const { nodes, url } = await startNodes();
  const client = new Client132({ name: "sdk", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { name: "Ada" } }));
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  const transport = new Http132(url);
  await client.connect(transport as Parameters<Client132["connect"]>[0]);
  onTestFinished(() => client.close());
  const { sessionId } = transport;
  for (let n = 0; n < 12; n += 1) {
    expect(await client.callTool({ name: "echo", arguments: { n } })).toMatchObject(text(`${n}`));
    expect(await client.callTool({ name: "ask" })).toMatchObject(text("Hello, Ada!"));
  }
  const steps: number[] = [];
  await client.callTool({ name: "steps" }, undefined, { onprogress: ({ progress }) => steps.push(progress) });
  expect(steps).toEqual([1, 2, 3]);
  await nodes.replaceAll(async () => {
    expect(await client.callTool({ name: "ask" })).toMatchObject(text("Hello, Ada!"));
  });
  expect(transport.sessionId).toBe(sessionId);
  await client.callTool({ name: "announce" });
  await changed;
  await transport.terminateSession();
});

test("an SDK of early 2025 calls and is told over any node", async () => {
  const { nodes, url } = await startNodes();
  const client = new Client112({ name: "sdk", version: "1" });
  const transport = new Http112(url);
  await client.connect(transport as Parameters<Client112["connect"]>[0]);
  onTestFinished(() => client.close());
  for (let n = 0; n < 6; n += 1) {
    expect(await client.callTool({ name: "echo", arguments: { n } })).toMatchObject(text(`${n}`));
  }
  await nodes.replaceAll(async () => {
    expect(await client.callTool({ name: "echo", arguments: { n: 1 } })).toMatchObject(text("1"));
  });
});

test("the client of Toolwire does the same, as one of 2025-11-25", async () => {
  const { nodes, url } = await startNodes();
  const client = await connect(url.href, {
    revision: "2025-11-25",
    elicitation: () => ({ action: "accept", content: { name: "Ada" } }),
  });
  onTestFinished(() => client.close());
  for (let n = 0; n < 12; n += 1) {
    expect(await client.callTool("echo", { n })).toMatchObject(text(`${n}`));
    expect(await client.callTool("ask")).toMatchObject(text("Hello, Ada!"));
  }
  await nodes.replaceAll(async () => {
    expect(await client.callTool("ask")).toMatchObject(text("Hello, Ada!"));
  });
});
