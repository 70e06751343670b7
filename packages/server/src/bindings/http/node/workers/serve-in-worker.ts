import { UsageError } from "@toolwire/protocol";
import type { ServerBinding } from "../../../../binding.ts";
import { createDrain } from "../../drain.ts";
import { HttpEndpoint } from "../../endpoint.ts";
import { keepAliveTogether } from "../../events.ts";
import { acceptRequests, closeServer, createHttpServer } from "../http-server.ts";
import { urlOf, type ServeHttpOptions, type WorkersListener } from "../serve-options.ts";
import { WorkerEnd } from "./worker-end.ts";

/** Serves in a worker: connections come from the process that has started it, and so does what workers share. */
export async function serveInWorker(binding: ServerBinding, options: ServeHttpOptions): Promise<WorkersListener> {
  const end = await WorkerEnd.join();
  const { path = "/mcp" } = options;
  try {
    return startServing(binding, { ...options, path, cluster: end.cluster }, end);
  } catch (error) {
    end.fail(error);
    throw error;
  }
}

function startServing(
  binding: ServerBinding,
  options: ServeHttpOptions & { readonly path: string },
  end: WorkerEnd,
): WorkersListener {
  const endpoint = new HttpEndpoint(binding, options, keepAliveTogether);
  const http = createHttpServer(options);
  const connections = acceptRequests(http, endpoint);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());
  const drain = createDrain(endpoint, close);

  async function closeAll(): Promise<void> {
    await closeServer(http, endpoint, connections, () => end.stop());
    await end.end();
  }

  end.serve({ http, close: () => void close(), drain: (wait) => void drain({ wait }) });
  return {
    url: urlOf(end.host, end.port, options.path),
    port: end.port,
    health: () => endpoint.health(),
    async drain(given) {
      end.leave();
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
    if (closing === undefined) end.leave();
    return close();
  }
}
