// Our own server, over every transport it has.

import { createServer, prompt, resource, tool, ToolError } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveStdio } from "@toolwire/server/stdio";
import { serveWebSocket } from "@toolwire/server/websocket";
import { z } from "zod";
import { STANDARD } from "../steps/script.ts";
import { createGate } from "./gate.ts";
import { announce, counter, transport, waitForever } from "./program.ts";

const gate = createGate();

const server = createServer({
  name: "toolwire",
  version: "1.0.0",
  tools: {
    echo: tool({
      description: "Repeats a text",
      input: z.object({ text: z.string() }),
      run: ({ text }) => text,
    }),
    add: tool({
      description: "Adds two numbers",
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      run: ({ a, b }) => ({ sum: a + b }),
    }),
    fail: tool({
      description: "Fails",
      run() {
        throw new ToolError("This tool always fails.");
      },
    }),
    count: tool({
      description: "Counts, and reports each step",
      input: z.object({ steps: z.int(), isPaced: z.boolean().default(true) }),
      async run({ steps, isPaced }, ctx) {
        for (let step = 1; step <= steps; step++) {
          ctx.progress(step, steps);
          if (isPaced) await gate.pass();
        }
        return `Counted to ${steps}.`;
      },
    }),
    next: tool({
      description: "Lets the counting go on",
      run() {
        gate.open();
        return "Going on.";
      },
    }),
    wait: tool({
      description: "Waits until it is cancelled",
      async run(_args, ctx) {
        ctx.progress(0);
        await waitForever(ctx.signal);
      },
    }),
    waiting: tool({
      description: "Says how many calls are waiting",
      run: () => String(counter.waiting),
    }),
    cancelled: tool({
      description: "Says how many calls were cancelled",
      run: () => String(counter.cancelled),
    }),
    ask: tool({
      description: "Asks for a name",
      async run(_args, ctx) {
        const { name } = await ctx.elicit("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
        return `Hello, ${name}!`;
      },
    }),
  },
  resources: {
    hello: resource({ uri: STANDARD.read.uri, mimeType: "text/plain", read: () => STANDARD.read.text }),
  },
  prompts: {
    greet: prompt({
      description: "Greets somebody",
      arguments: { name: { required: true } },
      get: ({ name }) => `Say hello to ${name}.`,
    }),
  },
});

if (transport === "stdio") serveStdio(server);
else if (transport === "websocket") announce((await serveWebSocket(server, { port: 0 })).url);
else {
  const { url } = await serveHttp(server, { port: 0, legacy: { sse: true } });
  announce(transport === "sse" ? new URL("/sse", url).href : url);
}
