import { createServer, tool } from "@toolwire/server";
import { createMemoryEngine } from "@toolwire/server/cluster";
import { serveHttp } from "@toolwire/server/http";

/** A server that drains when it is told to end. Its one tool, and the wait for load balancers, end when its parent says so. */
const finished = new Promise<void>((resolve) => process.once("message", () => resolve()));
const server = createServer({
  name: "drained",
  version: "1.0.0",
  tools: {
    wait: tool({
      run: async () => {
        process.send?.("running");
        await finished;
        return "done";
      },
    }),
  },
});

const cluster = createMemoryEngine().connect();
const listener = await serveHttp(server, { port: 0, cluster, health: true, closeTimeout: 20_000 });
process.send?.(listener.url);

process.once("SIGTERM", async () => {
  void finished.then(() => listener.close());
  await listener.drain({ wait: Infinity });
  await cluster.close();
  // The channel to the parent keeps the process alive.
  process.disconnect();
});
