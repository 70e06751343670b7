import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { WorkerPool, type PoolProgram } from "./pool.ts";
import { expectToBePrimary } from "./settings.ts";

/** What workers are started for, and where they serve. */
export interface StartWorkersOptions extends PoolProgram {
  readonly count: number;
  readonly host: string;
  /** How many milliseconds workers may take to close. */
  readonly closeTimeout: number;
  /** Begins to listen. */
  listen(listener: Server): Promise<void>;
}

/** Workers that share a port, as the process sees them that has started them. */
export interface StartedWorkers {
  readonly port: number;
  /** Whether at least one of them serves. */
  readonly isReady: boolean;
  readonly isClosing: boolean;
  /** Sends a message of the program to all of them. */
  broadcast(message: object): void;
  /** Replaces all of them, one after the other, by ones that run the main file anew. */
  reload(): Promise<void>;
  /** Ends all of them. With `wait`, they serve on for so many milliseconds. */
  close(wait?: number): Promise<void>;
}

/** Listens, and starts workers that serve the connections. If one of them fails at first, all end. */
export async function startWorkers(options: StartWorkersOptions): Promise<StartedWorkers> {
  expectToBePrimary();
  const listener = createListener();
  await options.listen(listener);
  const { port } = listener.address() as AddressInfo;
  const { count, host, closeTimeout } = options;
  const pool = new WorkerPool(options, { count, host, port, closeTimeout, stopped: () => void listener.close() });
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
  return {
    port,
    get isReady() {
      return pool.isReady;
    },
    get isClosing() {
      return pool.isClosing;
    },
    broadcast: (message) => pool.broadcast(message),
    reload: () => pool.reload(),
    close: (wait) => pool.close(wait),
  };
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
