/** How much memory servers take: with nothing to do, and for each legacy session that somebody opened and left. */
import type { Contender } from "../contenders/contender.ts";
import type { Wiring } from "../workload/scenario.ts";
import { type LoadProcess, startServer } from "./server-pool.ts";

/** One row of the memory table, in bytes. */
export interface ServerMemory {
  readonly name: string;
  /** Heap in use and resident memory of an HTTP server that nobody has called. */
  readonly idleHeap: number;
  readonly idleResident: number;
  /** Heap that stays in use per open session, where there are sessions. */
  readonly heapPerSession?: number;
}

const SESSIONS = 1_000;

const WIRING: Wiring = { transport: "http", era: "legacy", sessions: true, answers: "json", tools: 2 };

/** Measures all that serve legacy sessions over HTTP. */
export async function measureMemory(contenders: readonly Contender[], load: LoadProcess): Promise<ServerMemory[]> {
  const rows: ServerMemory[] = [];
  for (const contender of contenders) {
    const offer = contender.offer(WIRING);
    if (typeof offer !== "string") rows.push(await measureServer(contender.name, offer.wiring, load));
  }
  return rows;
}

async function measureServer(name: string, wiring: Wiring, load: LoadProcess): Promise<ServerMemory> {
  const server = await startServer(name, wiring, load);
  try {
    const { port } = server;
    if (port === undefined) throw new Error(`"${name}" does not listen.`);
    const { heap: idleHeap, resident: idleResident } = await server.readMemory();
    if (name === "raw") return { name, idleHeap, idleResident };
    // The first sessions also load and compile whatever it takes to open one.
    await load.ask("openSessions", { port, count: 100 });
    const before = await server.readMemory();
    await load.ask("openSessions", { port, count: SESSIONS });
    const after = await server.readMemory();
    return { name, idleHeap, idleResident, heapPerSession: (after.heap - before.heap) / SESSIONS };
  } finally {
    await server.stop();
  }
}
