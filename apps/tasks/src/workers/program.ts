/** One server process with tasks: `node program.js ASSIGNMENT`, the assignment being JSON. It prints its address when it serves. */
import { Journal } from "@toolwire/evidence/load";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { tasks } from "@toolwire/server/tasks";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { openStore } from "../stores/open.ts";
import { type Assignment, NOTES } from "./assignment.ts";

const {
  store: address,
  journal: path,
  lease,
  sweepInterval,
  maxRunning,
  work,
} = JSON.parse(process.argv[2] ?? "") as Assignment;
const journal = new Journal(path);
process.on("uncaughtExceptionMonitor", (error, origin) => journal.complain(`${origin}: ${error.stack}`));

const { store, close } = await openStore(address);
const limits = { perCaller: Infinity, maxTasks: Infinity };

const server = createServer({
  name: "tasks-under-faults",
  version: "1.0.0",
  stateKey: "one key for all workers of a run that ends in minutes",
  tools: {
    work: tool({
      input: z.object({ call: z.string() }),
      task: { resume: "replay", attempts: 100 },
      async run({ call }, ctx) {
        const step = async (name: string): Promise<void> => {
          await ctx.once(name, () => journal.note(NOTES.step, `${call}/${name}`));
          journal.note(NOTES.kept, `${call}/${name}`);
        };
        journal.note(NOTES.begun, call);
        await step("first");
        await delay(work, undefined, { signal: ctx.signal });
        await step("second");
        journal.note(NOTES.ended, call);
        return call;
      },
    }),
  },
  extensions: [tasks({ store, lease, sweepInterval, maxRunning, ...limits })],
  onDiagnostic({ level, message, error }) {
    if (level === "error") journal.complain(`${message} ${String(error)}`);
  },
});

const listener = await serveHttp(server, { port: 0 });
console.log(listener.url);
process.once("SIGTERM", () => {
  void listener
    .close()
    .then(close)
    .then(() => process.exit(0));
});
// Ends with the run, however that ends.
process.stdin.on("end", () => process.exit(1)).resume();
