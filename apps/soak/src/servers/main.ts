/** One server process of the soak: `node main.js TASK`, the task being JSON. */
import { createServer } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveStdio } from "@toolwire/server/stdio";
import { serveWebSocket } from "@toolwire/server/websocket";
import { setTimeout as delay } from "node:timers/promises";
import { Journal } from "@toolwire/evidence/load";
import type { ServerTask } from "./task.ts";
import { createTools } from "./tools.ts";

/** How long requests in flight get to finish after SIGTERM. All calls but those that are to time out take less. */
const CLOSE_MS = 1000;

const task = JSON.parse(process.argv[2] ?? "") as ServerTask;
const journal = new Journal(task.journal);
process.on("uncaughtExceptionMonitor", (error, origin) => journal.complain(`${origin}: ${error.stack}`));

const server = createServer({
  name: "soak",
  version: "1.0.0",
  tools: createTools(journal),
  // A question asked before a restart can be answered after it.
  stateKey: "the same for every process of the soak",
  onDiagnostic({ level, message, error }) {
    if (level === "error") journal.complain(`${message} ${String(error)}`);
  },
});

await delay(task.startDelay);
if (task.binding === "stdio") serveStdio(server, { closeTimeout: CLOSE_MS });
else {
  const serving = await listen(task);
  process.once("SIGTERM", () => void serving.close().then(() => process.exit(0)));
  // Ends with the soak, however that ends.
  process.stdin.on("end", () => process.exit(1)).resume();
  console.log("listening");
}

function listen({ binding, variant, port }: ServerTask): Promise<{ close(): Promise<void> }> {
  const options = { port, closeTimeout: CLOSE_MS };
  if (binding === "websocket") return serveWebSocket(server, options);
  if (binding === "sse") return serveHttp(server, { ...options, legacy: { sse: true } });
  return serveHttp(server, variant === "no sessions" ? { ...options, legacy: { sessions: false } } : options);
}
