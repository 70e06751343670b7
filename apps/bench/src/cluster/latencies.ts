/** How long it takes what concerns several nodes: an answer that comes to another one, and a change that all of them tell. */
import { Worker } from "../processes/worker.ts";
import type { ClientCommands, Times } from "./clients.ts";
import type { RunningEngines } from "./engines.ts";
import { type RunningServer, startServer } from "./running-server.ts";
import type { EngineName, Wiring } from "./wiring.ts";

/** The times of one engine. */
export interface Latencies {
  readonly engine: EngineName;
  /** From answering a question to the result of the call: at the node that has asked, and at another one. */
  readonly direct: Times;
  readonly elsewhere: Times;
  /** From a call that changes something until all listeners have heard. */
  readonly change: Times;
  readonly listeners: number;
}

/** How often to measure, and with how many listeners. */
export interface LatencyEffort {
  readonly times: number;
  readonly listeners: number;
}

const KEPT: Wiring = { sessions: "kept", answers: "json" };

/** Measures all engines. One that fails is left out, and said. */
export async function measureLatencies(
  engines: RunningEngines,
  effort: LatencyEffort,
  fail: (what: string, error: unknown) => void,
): Promise<Latencies[]> {
  const all: Latencies[] = [];
  for (const engine of ["memory", "redis", "postgres"] as const) {
    try {
      const reason = engines.reasonWithout(engine);
      if (reason !== undefined) throw new Error(reason);
      all.push(await measureEngine(engines, engine, effort));
    } catch (error) {
      fail(`latencies with ${engine}`, error);
    }
  }
  return all;
}

async function measureEngine(
  engines: RunningEngines,
  engine: EngineName,
  { times, listeners }: LatencyEffort,
): Promise<Latencies> {
  const clients = new Worker<ClientCommands>({ script: new URL("clients.js", import.meta.url), role: "load" });
  const servers = await startNodes(engines, engine);
  try {
    const [one = 0, other = 0] = servers.flatMap(({ opening, calling }) => [...new Set([opening, calling])]);
    await clients.ask("open", { port: one, count: 1 });
    const direct = await clients.ask("answer", { asking: one, answering: one, count: times });
    const elsewhere = await clients.ask("answer", { asking: one, answering: other, count: times });
    await clients.ask("open", { port: one, count: listeners });
    await clients.ask("listen", { ports: [one, other], isWatching: true });
    const change = await clients.ask("change", { port: one, count: times });
    return { engine, direct, elsewhere, change, listeners };
  } finally {
    await clients.stop();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Two nodes: in two processes, unless their engine is in the memory of one. */
async function startNodes(engines: RunningEngines, name: EngineName): Promise<RunningServer[]> {
  const engine = engines.addressOf(name);
  if (name === "memory") return [await startServer({ ...KEPT, engine, second: "usual" })];
  const one = await startServer({ ...KEPT, engine });
  try {
    return [one, await startServer({ ...KEPT, engine })];
  } catch (error) {
    await one.stop();
    throw error;
  }
}
