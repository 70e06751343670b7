// Our own server, with tools that run as tasks.

import { setTimeout as delay } from "node:timers/promises";
import { createServer, tool, ToolError } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveStdio } from "@toolwire/server/stdio";
import { tasks } from "@toolwire/server/tasks";
import { z } from "zod";
import { announce, counter, transport, WORK_MS, waitForever } from "./program.ts";

const task = { poll: 50 };

const server = createServer({
  name: "toolwire",
  version: "1.0.0",
  tools: {
    report: tool({
      input: z.object({ title: z.string() }),
      task,
      async run({ title }) {
        await delay(WORK_MS);
        return `Report on ${title}`;
      },
    }),
    fail: tool({
      task,
      run() {
        throw new ToolError("This tool always fails.");
      },
    }),
    ask: tool({
      task,
      async run(_args, ctx) {
        const { name } = await ctx.elicit("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
        return `Hello, ${name}!`;
      },
    }),
    wait: tool({ task, run: (_args, ctx) => waitForever(ctx.signal) }),
    cancelled: tool({ run: () => String(counter.cancelled) }),
  },
  // Nobody else calls this server, so its tasks can be listed.
  extensions: [tasks({ list: true })],
});

if (transport === "stdio") serveStdio(server);
else announce((await serveHttp(server, { port: 0 })).url);
