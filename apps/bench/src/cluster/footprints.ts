/** How much memory sessions and streams take, in nodes and in engines. */
import { Worker } from "../processes/worker.ts";
import type { ClientCommands } from "./clients.ts";
import type { RunningEngines } from "./engines.ts";
import { startServer } from "./running-server.ts";
import type { EngineName, Wiring } from "./wiring.ts";

/** Bytes for one of many. */
export interface Footprint {
  readonly what: Subject;
  /** How many there were. */
  readonly count: number;
  /** In the heap of the node, and in all of its memory; for engines, what they say of themselves. */
  readonly heap?: number;
  readonly resident: number;
}

/** What takes memory. */
export type Subject = "idle" | "session" | "view" | "stream" | `record-${EngineName}`;

/** How many sessions and streams to open. */
export interface FootprintEffort {
  readonly sessions: number;
  readonly streams: number;
}

const KEPT: Wiring = { sessions: "kept", answers: "json" };
const MEMORY = { name: "memory" } as const;
/** Opened before anything is measured: the first ones load and compile what it takes. */
const FIRST = 500;

type Clients = Worker<ClientCommands>;

/** Measures everything that takes memory. What fails is left out, and said. */
export async function measureFootprints(
  engines: RunningEngines,
  { sessions, streams }: FootprintEffort,
  fail: (what: string, error: unknown) => void,
): Promise<Footprint[]> {
  const works: [Subject, (clients: Clients) => Promise<Footprint>][] = [
    ["idle", measureIdle],
    ["session", (clients) => measureNode(clients, { what: "session", count: sessions, wiring: KEPT })],
    ["view", (clients) => measureNode(clients, { what: "view", count: sessions, wiring: twoNodes() })],
    ["stream", (clients) => measureNode(clients, { what: "stream", count: streams, wiring: twoNodes() })],
    ...(["redis", "postgres"] as const).map((engine): [Subject, (clients: Clients) => Promise<Footprint>] => [
      `record-${engine}`,
      (clients) => measureEngine(clients, engines, engine, sessions),
    ]),
  ];
  const footprints: Footprint[] = [];
  for (const [what, measure] of works) {
    const clients: Clients = new Worker({ script: new URL("clients.js", import.meta.url), role: "load" });
    try {
      footprints.push(await measure(clients));
    } catch (error) {
      fail(what, error);
    } finally {
      await clients.stop();
    }
  }
  return footprints;
}

function twoNodes(): Wiring {
  return { ...KEPT, engine: MEMORY, second: "usual" };
}

/** A node that has served some sessions and has nothing to do. */
async function measureIdle(clients: Clients): Promise<Footprint> {
  const server = await startServer({ ...KEPT, engine: MEMORY });
  try {
    await clients.ask("open", { port: server.opening, count: FIRST });
    const { heap, resident } = await server.readMemory();
    return { what: "idle", count: 1, heap, resident };
  } finally {
    await server.stop();
  }
}

/** Measures what a node holds for each session that was opened there, that it has served, or whose stream it has. */
async function measureNode(
  clients: Clients,
  {
    what,
    count,
    wiring,
  }: { readonly what: "session" | "view" | "stream"; readonly count: number; readonly wiring: Wiring },
): Promise<Footprint> {
  const server = await startServer(wiring);
  const { opening, calling } = server;
  const act = async (): Promise<void> => {
    if (what === "view") await clients.ask("visit", calling);
    if (what === "stream") await clients.ask("listen", { ports: [calling], isWatching: false });
  };
  /** Before the step that is measured. */
  const prepare = async (sessions: number): Promise<void> => {
    await clients.ask("open", { port: opening, count: sessions });
    if (what === "stream") await clients.ask("visit", calling);
  };
  try {
    await prepare(FIRST);
    await act();
    if (what !== "session") await prepare(count);
    const before = await server.readMemory();
    if (what === "session") await prepare(count);
    else await act();
    const after = await server.readMemory();
    return {
      what,
      count,
      heap: (after.heap - before.heap) / count,
      resident: (after.resident - before.resident) / count,
    };
  } finally {
    await server.stop();
  }
}

async function measureEngine(
  clients: Clients,
  engines: RunningEngines,
  engine: EngineName,
  count: number,
): Promise<Footprint> {
  const reason = engines.reasonWithout(engine);
  if (reason !== undefined) throw new Error(reason);
  const server = await startServer({ ...KEPT, engine: engines.addressOf(engine) });
  try {
    await clients.ask("open", { port: server.opening, count: FIRST });
    const before = await engines.readBytes(engine);
    await clients.ask("open", { port: server.opening, count });
    const after = await engines.readBytes(engine);
    return { what: `record-${engine}`, count, resident: (after - before) / count };
  } finally {
    await server.stop();
  }
}
