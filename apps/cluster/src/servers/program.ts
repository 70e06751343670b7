/** One server process of the cluster: `node program.js TASK`, the task being JSON. */
import { createServer } from "@toolwire/server";
import { serveHttp, type HttpListener, type ServeHttpOptions } from "@toolwire/server/http";
import { Journal } from "@toolwire/evidence/load";
import cluster from "node:cluster";
import type { RemoteEngine } from "../engines/engine.ts";
import { joinEngine } from "../engines/join.ts";
import { LINES, NOT_JOINED, type ServerTask } from "./task.ts";
import { createTools } from "./tools.ts";

/** How long requests in flight get to finish then. All calls that nobody cancels take less. */
const CLOSE_MS = 20_000;

const task = JSON.parse(process.argv[2] ?? "") as ServerTask;
const journal = new Journal(task.journal);
process.on("uncaughtExceptionMonitor", (error, origin) => journal.complain(`${origin}: ${error.stack}`));

const server = createServer({
  name: "cluster",
  version: "1.0.0",
  tools: createTools(journal),
  onDiagnostic({ level, message, error }) {
    // Workers are killed on purpose.
    if (level !== "error" || message.includes("by SIGKILL")) return;
    const words = error instanceof Error ? `${message} ${error.name}: ${error.message}` : message;
    if (error instanceof Error && error.name === "Unavailable") journal.note("unavailable", words);
    else journal.complain(words);
  },
});

const OPTIONS: ServeHttpOptions = {
  port: task.port,
  health: true,
  closeTimeout: CLOSE_MS,
};

const { engine } = task;
if (engine.name === "workers") await serveByWorkers();
else await serveAsNode(engine);
if (cluster.isPrimary) {
  // Ends with the run, however that ends.
  process.stdin.on("end", () => process.exit(1)).resume();
}

async function serveByWorkers(): Promise<void> {
  const listener = await serveHttp(server, { ...OPTIONS, workers: task.workers });
  // Both the first process and its workers get here.
  if (!cluster.isPrimary) {
    tellServing();
    return;
  }
  process.on("SIGHUP", () => {
    listener.reload().then(
      () => console.log(LINES.reloaded),
      (error: unknown) => journal.complain(`reload: ${String(error)}`),
    );
  });
  endWith(listener, async () => {});
}

async function serveAsNode(address: RemoteEngine): Promise<void> {
  const joined = await joinEngine(address).catch((error: unknown) => {
    console.error(String(error));
    process.exit(NOT_JOINED);
  });
  const listener = await serveHttp(server, { ...OPTIONS, cluster: joined.cluster });
  endWith(listener, () => joined.leave());
  tellServing();
}

/** In the journal, too: if the line does not arrive, it tells whether it was printed. */
function tellServing(): void {
  journal.note("serving", String(process.pid));
  console.log(LINES.serving + process.pid);
}

function endWith(listener: HttpListener, leave: () => Promise<void>): void {
  process.once("SIGTERM", () => {
    void listener
      .drain()
      .then(leave)
      .then(() => process.exit(0));
  });
}
