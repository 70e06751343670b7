import { UsageError } from "@toolwire/protocol";
import cluster from "node:cluster";
import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import type { Cluster } from "../../../../cluster/cluster.ts";
import { WorkerCluster } from "../../../../cluster/workers/worker-cluster.ts";
import { readFromPrimary, type FromPrimary, type FromWorker } from "./messages.ts";
import { slotOfWorker } from "./settings.ts";

/** What a worker does when the process that has started it wants it to end. */
export interface WorkerDuties {
  /** Takes connections. It does not listen itself. */
  readonly http: HttpServer;
  close(): void;
  drain(wait: number): void;
}

/** The end of a worker of the channel to the process that has started it: connections come from there, and so does what workers share. */
export class WorkerEnd {
  /** Where clients connect to. */
  readonly host: string;
  readonly port: number;
  /** Counts the workers from 1. A worker that takes the place of one that has died has its number. */
  readonly slot: number;
  readonly #shared: WorkerCluster;
  readonly #listeners = new Set<(message: object) => void>();
  #duties: WorkerDuties | undefined;
  #isStopped = false;
  #isLeaving = false;

  private constructor({ node, host, port }: FromPrimary & { readonly primary: "welcome" }) {
    this.host = host;
    this.port = port;
    this.slot = slotOfWorker();
    this.#shared = new WorkerCluster(node, send);
    process.on("message", this.#receive);
  }

  /** Asks the process that has started this one which node this is. */
  static async join(): Promise<WorkerEnd> {
    return new WorkerEnd(await sayHello());
  }

  /** What the workers share. */
  get cluster(): Cluster {
    return this.#shared;
  }

  /** Tells the process that has started this one that it cannot serve. */
  fail(error: unknown): void {
    post({ worker: "failed", message: error instanceof Error ? error.message : String(error) });
  }

  /** Begins to take connections. */
  serve(duties: WorkerDuties): void {
    this.#duties = duties;
    // Node begins with this event to watch how long clients take.
    duties.http.emit("listening");
    post({ worker: "ready" });
  }

  /** The worker ends because its own program wants it to. */
  leave(): void {
    if (!this.#isLeaving) post({ worker: "leaving" });
    this.#isLeaving = true;
  }

  /** Takes no more connections. */
  stop(): void {
    this.#isStopped = true;
    post({ worker: "stopped" });
  }

  /** Lets go of the process that has started this one. */
  async end(): Promise<void> {
    await this.#shared.close();
    process.off("message", this.#receive);
    // Nothing is left that keeps the process alive, unless the program has something.
    cluster.worker?.disconnect();
  }

  /** Sends a message of the program. */
  send(message: object): void {
    send(message, () => {});
  }

  /** Hears messages of the program. Returns a function that ends it. */
  listen(listener: (message: object) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  readonly #receive = (message: unknown, socket: unknown): void => {
    const read = readFromPrimary(message);
    if (read?.primary === "connection") this.#accept(read.id, socket as Socket | undefined);
    else if (read?.primary === "close") this.#duties?.close();
    else if (read?.primary === "drain") this.#duties?.drain(read.wait);
    else if (typeof message === "object" && message !== null && !this.#shared.receive(message)) {
      for (const listener of this.#listeners) listener(message);
    }
  };

  #accept(id: number, socket: Socket | undefined): void {
    const http = this.#duties?.http;
    if (this.#isStopped || http === undefined) {
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
}

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
