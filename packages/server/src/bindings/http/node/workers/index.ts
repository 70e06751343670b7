/**
 * Serving with several processes. This process listens, keeps what the workers share, and hands connections to them.
 *
 * Not by the way in which node:cluster shares ports: there, a connection that is on its way to a worker which dies is neither answered
 * nor closed, and a port that was picked is lost once all workers have died.
 */
import { expectMilliseconds, expectOptions } from "@toolwire/protocol/internal";
import type { ServerBinding } from "../../../../binding.ts";
import { resolveSettings } from "../../options.ts";
import { listen } from "../listen.ts";
import { urlOf, type ServeHttpOptions, type WorkersListener } from "../serve-options.ts";
import { serveInWorker } from "./serve-in-worker.ts";
import { isOwnWorker, readWorkers } from "./settings.ts";
import { startWorkers, type StartedWorkers } from "./started-workers.ts";

/** Serves a server with workers, or in this process if it is one of them. */
export async function serveByWorkers(
  binding: ServerBinding,
  options: ServeHttpOptions,
  workers: number | "auto",
): Promise<WorkersListener> {
  const count = readWorkers(workers, options.cluster);
  if (isOwnWorker()) return serveInWorker(binding, options);
  const { port = 3000, host = "127.0.0.1", path = "/mcp" } = options;
  const { closeTimeout } = resolveSettings({ ...options, path });
  const started = await startWorkers({
    count,
    host,
    closeTimeout,
    diagnose: (event) => binding.diagnose(event),
    listen: (listener) => listen(listener, binding, { ...options, port, host }),
  });
  return createHandle(started, urlOf(host, started.port, path));
}

function createHandle(started: StartedWorkers, url: string): WorkersListener {
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= started.close());
  return {
    url,
    port: started.port,
    health: () => ({ isReady: started.isReady, isDraining: started.isClosing, isEngineUp: true }),
    async drain(options = {}) {
      const { wait } = expectOptions("drain", options, { wait: true });
      await started.close(expectMilliseconds("wait", wait, 5000));
    },
    close,
    [Symbol.asyncDispose]: close,
    reload: () => started.reload(),
  };
}
