// A server with tasks in files, to be killed: `task-process.ts DIRECTORY RESUME`. Each step that it does is a line in DIRECTORY/effects.
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { serveHttp } from "../../../src/http.ts";
import { createServer, tool } from "../../../src/index.ts";
import { fileTaskStore } from "../../../src/tasks/files/index.ts";
import { tasks } from "../../../src/tasks/index.ts";

const [directory = ".", resume = "fail"] = process.argv.slice(2);
const task = { resume: resume as "fail" | "replay", attempts: 3 };

function note(effect: string): string {
  appendFileSync(join(directory, "effects"), `${effect}\n`);
  return effect;
}

/** Waits until a test makes a file of this name. */
async function gate(name: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(join(directory, name))) {
    signal.throwIfAborted();
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

const server = createServer({
  name: "durable",
  version: "1.0.0",
  stateKey: "a key for tests alone, which everybody may know",
  tools: {
    quick: tool({ task, run: () => "done" }),
    job: tool({
      task,
      input: z.object({ name: z.string() }),
      async run({ name }, ctx) {
        note(`${name} started`);
        await ctx.once("first", () => note(`${name} first`));
        note(`${name} kept`);
        try {
          await gate(name, ctx.signal);
          await ctx.once("second", () => note(`${name} second`));
        } catch (error) {
          note(`${name} stopped`);
          throw error;
        }
        return `${name} by attempt ${ctx.task.attempt}`;
      },
    }),
    asking: tool({
      task,
      async run(_args, ctx) {
        await ctx.once("before", () => note("before"));
        const { name } = await ctx.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) });
        return `Hello, ${name}!`;
      },
    }),
  },
  extensions: [
    tasks({ store: fileTaskStore(join(directory, "tasks")), lease: 600, sweepInterval: 100, perCaller: 1000 }),
  ],
  onDiagnostic: () => {},
});

const serving = await serveHttp(server, { port: 0 });
console.log(serving.url);
process.once("SIGTERM", () => void serving.close().then(() => process.exit(0)));
