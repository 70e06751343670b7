/** A program that serves with workers, as a user would write it. The test that has started it tells the first process what to do. */
import cluster from "node:cluster";
import { createServer, jsonSchema, tool } from "../../../../../src/index.ts";
import { serveHttp, type ServeHttpOptions } from "../../../../../src/http.ts";

const settings = JSON.parse(process.env["SETTINGS"] ?? "{}") as {
  readonly options?: Omit<ServeHttpOptions, "workers"> & { readonly workers?: number };
  /** How workers fail before they serve. */
  readonly failure?: "throws" | "exits" | "bad option" | "two calls";
};
const { options = {}, failure } = settings;
if (cluster.isWorker && failure === "throws") throw new Error("This worker has no database.");
if (cluster.isWorker && failure === "exits") process.exit(7);

const server = createServer({
  name: "workers",
  version: "1.0.0",
  onDiagnostic: ({ message }) => process.send?.({ diagnostic: message }),
  tools: {
    pid: tool({ run: () => String(process.pid) }),
    wait: tool({
      input: { type: "object" },
      async run() {
        await new Promise((resolve) => void setTimeout(resolve, 300));
        return String(process.pid);
      },
    }),
    ask: tool({
      async run(_args, ctx) {
        const schema = { type: "object", properties: { name: { type: "string" } } } as const;
        const { name } = await ctx.elicit("name", { message: "Who?", schema: jsonSchema<{ name: string }>(schema) });
        return `${name} by ${process.pid}`;
      },
    }),
    announce: tool({
      run() {
        server.tools.add(`added-by-${process.pid}`, tool({ run: () => "" }));
        return String(process.pid);
      },
    }),
  },
});

const broken = cluster.isWorker && failure === "bad option" ? { maxBodyBytes: -1 } : {};
const listener = await serveHttp(server, { port: 0, workers: 2, ...options, ...broken }).catch((error: unknown) => {
  const { name, code, message } = error as Error & { readonly code?: string };
  if (cluster.isPrimary) process.send?.({ failed: { name, code, message } });
  process.exit(1);
});

if (failure === "two calls") {
  await serveHttp(server, { port: 0, workers: 2 }).catch((error: Error) => {
    if (cluster.isPrimary) process.send?.({ failed: { message: error.message } });
  });
}

if (cluster.isPrimary) {
  process.on("message", (act: "reload" | "close" | "drain") => {
    void listener[act]().then(() => {
      process.send?.({ done: act });
      if (act !== "reload") process.disconnect();
    });
  });
  process.send?.({ url: listener.url });
}
