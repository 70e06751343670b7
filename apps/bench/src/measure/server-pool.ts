/** The servers that are running, so that scenarios with the same wiring find them warm. */
import type { LoadCommands } from "../load/main.ts";
import type { MemoryUse } from "../processes/memory.ts";
import type { ServerCommands } from "../processes/serve.ts";
import { findProgram } from "../processes/programs.ts";
import { Worker } from "../processes/worker.ts";
import type { Wiring } from "../workload/scenario.ts";

const LOAD = new URL("../load/main.js", import.meta.url);

/** A process that produces load. */
export type LoadProcess = Worker<LoadCommands>;

/** Starts the process that produces the load; one is enough for a whole run. */
export function startLoad(): LoadProcess {
  return new Worker({ script: LOAD, role: "load" });
}

/** A server that was started. */
export interface RunningServer {
  readonly port: number | undefined;
  readMemory(): Promise<MemoryUse>;
  stop(): Promise<void>;
}

/** Starts a server in a process of its own; those that speak over pipes, as children of the load process. */
export async function startServer(contender: string, wiring: Wiring, load: LoadProcess): Promise<RunningServer> {
  if (wiring.transport === "stdio") {
    await load.ask("startStdio", { contender, wiring });
    return {
      port: undefined,
      readMemory: () => load.ask("readStdioMemory", contender),
      stop: () => load.ask("stopStdio", contender),
    };
  }
  const { script, name } = findProgram(contender, "processes/serve.js");
  const server = new Worker<ServerCommands>({
    script,
    role: "measured",
    arguments: [name, JSON.stringify(wiring)],
  });
  try {
    const port = await server.ask("port", undefined);
    return { port, readMemory: () => server.ask("memory", undefined), stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** One server per contender, all in the wiring that was asked for last. */
export class ServerPool {
  readonly load: LoadProcess;
  readonly #servers = new Map<string, RunningServer>();
  #wiring = "";

  constructor(load: LoadProcess) {
    this.load = load;
  }

  /** Makes sure that only servers in this wiring are kept. */
  async changeTo(wiring: Wiring): Promise<void> {
    const name = JSON.stringify(wiring);
    if (name !== this.#wiring) await this.stop();
    this.#wiring = name;
  }

  /** A contender's server, and whether it has been used before. */
  async open(contender: string, wiring: Wiring): Promise<{ server: RunningServer; isWarm: boolean }> {
    const running = this.#servers.get(contender);
    if (running !== undefined) return { server: running, isWarm: true };
    const server = await startServer(contender, wiring, this.load);
    this.#servers.set(contender, server);
    return { server, isWarm: false };
  }

  /** Ends a server that is of no more use. */
  async discard(contender: string): Promise<void> {
    const server = this.#servers.get(contender);
    this.#servers.delete(contender);
    await server?.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((contender) => this.discard(contender)));
  }
}
