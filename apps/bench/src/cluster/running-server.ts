/** A server process of the benchmark. */
import type { Role } from "../processes/pinning.ts";
import type { MemoryUse } from "../processes/memory.ts";
import { Worker } from "../processes/worker.ts";
import type { ServerCommands } from "./server.ts";
import type { Wiring } from "./wiring.ts";

/** A server that was started. */
export interface RunningServer {
  /** Where sessions are opened, and where calls are sent. */
  readonly opening: number;
  readonly calling: number;
  readonly pids: readonly number[];
  readMemory(): Promise<MemoryUse>;
  stop(): Promise<void>;
}

/** Starts a server in a process of its own. */
export async function startServer(wiring: Wiring, role: Role = "measured"): Promise<RunningServer> {
  const script = new URL("server.js", import.meta.url);
  const worker = new Worker<ServerCommands>({ script, role, arguments: [JSON.stringify(wiring)] });
  try {
    return {
      ...(await worker.ask("ports", undefined)),
      pids: await worker.ask("pids", undefined),
      readMemory: () => worker.ask("memory", undefined),
      stop: () => worker.stop(),
    };
  } catch (error) {
    await worker.stop();
    throw error;
  }
}
