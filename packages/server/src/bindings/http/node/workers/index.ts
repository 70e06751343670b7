/**
 * Serving with several processes. This process listens, keeps what the workers share, and hands connections to them.
 *
 * Not by the way in which node:cluster shares ports: there, a connection that is on its way to a worker which dies is neither answered
 * nor closed, and a port that was picked is lost once all workers have died.
 */
import { expectMilliseconds, expectOptions } from "@toolwire/protocol/internal";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { ServerBinding } from "../../../../binding.ts";
import { resolveSettings } from "../../options.ts";
import { listen } from "../listen.ts";
import { urlOf, type ServeHttpOptions, type WorkersListener } from "../serve-options.ts";
import { WorkerPool } from "./pool.ts";
import { serveInWorker } from "./serve-in-worker.ts";
import { expectToBePrimary, isOwnWorker, readWorkers } from "./settings.ts";

/** Serves a server with workers, or in this process if it is one of them. */
export async function serveByWorkers(
  binding: ServerBinding,
  options: ServeHttpOptions,
  workers: number | "auto",
): Promise<WorkersListener> {
  const count = readWorkers(workers, options);
  if (isOwnWorker()) return serveInWorker(binding, options);
  expectToBePrimary();
  const { port = 3000, host = "127.0.0.1", path = "/mcp" } = options;
  const { closeTimeout } = resolveSettings({ ...options, path });
  const listener = createListener();
  await listen(listener, binding, { ...options, port, host });
  const address = listener.address() as AddressInfo;
  const pool = new WorkerPool(binding, {
    count,
    host,
    port: address.port,
    closeTimeout,
    stopped: () => void listener.close(),
  });
  listener.on("connection", (socket: Socket) => {
    // A client that is gone before a worker has its connection.
    socket.on("error", () => {});
    pool.take(socket);
  });
  try {
    await pool.start();
  } catch (error) {
    listener.close();
    throw error;
  }
  return createHandle(pool, urlOf(host, address.port, path), address.port);
}

/** Accepts connections as an HTTP server does, and reads nothing of them. */
function createListener(): Server {
  return createServer({
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  });
}

function createHandle(pool: WorkerPool, url: string, port: number): WorkersListener {
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= pool.close());
  return {
    url,
    port,
    health: () => ({ isReady: pool.isReady, isDraining: pool.isClosing, isEngineUp: true }),
    async drain(options = {}) {
      const { wait } = expectOptions("drain", options, { wait: true });
      await pool.close(expectMilliseconds("wait", wait, 5000));
    },
    close,
    [Symbol.asyncDispose]: close,
    reload: () => pool.reload(),
  };
}
