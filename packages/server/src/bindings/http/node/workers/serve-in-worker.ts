import { UsageError } from "@toolwire/protocol";
import cluster from "node:cluster";
import type { Socket } from "node:net";
import type { ServerBinding } from "../../../../binding.ts";
import { WorkerCluster } from "../../../../cluster/workers/worker-cluster.ts";
import { createDrain } from "../../drain.ts";
import { HttpEndpoint } from "../../endpoint.ts";
import { keepAliveTogether } from "../../events.ts";
import { acceptRequests, closeServer, createHttpServer } from "../http-server.ts";
import { urlOf, type ServeHttpOptions, type WorkersListener } from "../serve-options.ts";
import { readFromPrimary, type FromPrimary, type FromWorker } from "./messages.ts";

/** Serves in a worker: connections come from the process that has started it, and so does what workers share. */
export async function serveInWorker(binding: ServerBinding, options: ServeHttpOptions): Promise<WorkersListener> {
  const { node, host, port } = await sayHello();
  const { path = "/mcp" } = options;
  try {
    return startServing(binding, { ...options, path }, new WorkerCluster(node, send), urlOf(host, port, path), port);
  } catch (error) {
    post({ worker: "failed", message: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

function startServing(
  binding: ServerBinding,
  options: ServeHttpOptions,
  shared: WorkerCluster,
  url: string,
  port: number,
): WorkersListener {
  const endpoint = new HttpEndpoint(binding, { ...options, cluster: shared }, keepAliveTogether);
  const http = createHttpServer(options);
  const connections = acceptRequests(http, endpoint);
  // Node begins with this event to watch how long clients take.
  http.emit("listening");
  let isStopped = false;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());
  const drain = createDrain(endpoint, close);

  async function closeAll(): Promise<void> {
    await closeServer(http, endpoint, connections, () => {
      isStopped = true;
      post({ worker: "stopped" });
    });
    await shared.close();
    process.off("message", receive);
    // Nothing is left that keeps the process alive, unless the program has something.
    cluster.worker?.disconnect();
  }

  function receive(message: unknown, socket: unknown): void {
    const read = readFromPrimary(message);
    if (read?.primary === "connection") accept(read.id, socket as Socket | undefined);
    else if (read?.primary === "close") void close();
    else if (read?.primary === "drain") void drain({ wait: read.wait });
    else if (typeof message === "object" && message !== null) shared.receive(message);
  }

  function accept(id: number, socket: Socket | undefined): void {
    if (isStopped) {
      socket?.destroy();
      return post({ worker: "refused", id });
    }
    // Nothing is read before this has left: if this process ends first, another worker can still have the connection.
    send({ worker: "taken", id } satisfies FromWorker, () => {
      if (socket === undefined || socket.destroyed) return;
      http.emit("connection", socket);
      socket.resume();
    });
  }

  process.on("message", receive);
  post({ worker: "ready" });
  return {
    url,
    port,
    health: () => endpoint.health(),
    async drain(given) {
      post({ worker: "leaving" });
      await drain(given);
    },
    close: leave,
    [Symbol.asyncDispose]: leave,
    reload() {
      const message =
        "Call reload() in the process that has started the workers, where `cluster.isPrimary` of node:cluster is true.";
      return Promise.reject(new UsageError("INVALID_STATE", message));
    },
  };

  function leave(): Promise<void> {
    if (closing === undefined) post({ worker: "leaving" });
    return close();
  }
}

/** Asks the process that has started this one which node this is. */
async function sayHello(): Promise<FromPrimary & { readonly primary: "welcome" }> {
  const answer = await new Promise<FromPrimary>((resolve) => {
    const listener = (message: unknown): void => {
      const read = readFromPrimary(message);
      if (read?.primary !== "welcome" && read?.primary !== "known") return;
      process.off("message", listener);
      resolve(read);
    };
    process.on("message", listener);
    post({ worker: "hello" });
  });
  if (answer.primary === "welcome") return answer;
  throw new UsageError(
    "INVALID_STATE",
    "One call of serveHttp can have `workers`; serve further servers in programs of their own.",
  );
}

function post(message: FromWorker): void {
  send(message, () => {});
}

function send(message: object, sent: () => void): void {
  // Without a channel, the process that has started this one is gone, and Node ends this one.
  if (process.connected) process.send?.(message, undefined, undefined, sent);
}
