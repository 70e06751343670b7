/** How throughput and memory change as servers and clients get more to do: flat or linear is the aim. */
import { clients } from "../clients/index.ts";
import { contenders } from "../contenders/index.ts";
import type { ClientScenario, ServerScenario } from "../workload/scenario.ts";
import { raceClients } from "./client-race.ts";
import type { Effort, Outcome } from "./race.ts";
import { ServerPool, type LoadProcess } from "./server-pool.ts";
import { raceServers } from "./server-race.ts";
import { summarize } from "./statistics.ts";

/** One plot: calls per second and memory over a number that grows. */
export interface Growth {
  readonly id: string;
  readonly title: string;
  /** The unit of the numbers. */
  readonly of: string;
  readonly memoryTitle: string;
  readonly points: readonly number[];
  readonly series: readonly GrowthSeries[];
}

/** One line in each half of the plot, with a gap where somebody was not measured. */
export interface GrowthSeries {
  readonly name: string;
  readonly rates: readonly (number | undefined)[];
  /** Bytes. */
  readonly memory: readonly (number | undefined)[];
}

interface Axis {
  readonly id: string;
  readonly title: string;
  readonly of: string;
  readonly memoryTitle: string;
  readonly points: readonly number[];
  /** The contenders, each with its largest number. */
  readonly entrants: Readonly<Record<string, number>>;
  readonly memory: "heap" | "peak";
  measure(point: number, names: readonly string[], effort: Effort, load: LoadProcess): Promise<Outcome[]>;
}

const HTTP: ServerScenario["wiring"] = { transport: "http", era: "modern", sessions: false, answers: "json", tools: 2 };

const ECHO: Omit<ServerScenario, "wiring"> = {
  id: "growth",
  title: "growth",
  call: { kind: "echo", bytes: 100 },
  connections: 16,
  inFlight: 1,
};

const CLIENT: ClientScenario = {
  id: "growth",
  title: "growth",
  transport: "http",
  answers: "json",
  bytes: 100,
  inFlight: 1,
};

const AXES: readonly Axis[] = [
  {
    id: "growth-tools",
    title: "HTTP modern, JSON, echo 100 B, c16, by number of tools",
    of: "tools",
    memoryTitle: "heap in use",
    points: [1, 10, 100, 1_000],
    entrants: { toolwire: 1_000, v2: 1_000, raw: 1_000 },
    memory: "heap",
    measure: (tools, names, effort, load) =>
      raceNamed({ ...ECHO, wiring: { ...HTTP, era: "modern", tools } }, names, effort, load),
  },
  {
    id: "growth-sessions",
    title: "HTTP legacy, JSON, echo 100 B, c16, by number of open sessions",
    of: "sessions",
    memoryTitle: "heap in use",
    points: [1, 10, 100, 1_000, 10_000],
    // A session of the others costs so much that ten thousand of them do not fit.
    entrants: { toolwire: 10_000, v2: 1_000, v1: 1_000, "mcp-lite": 10_000, raw: 10_000 },
    memory: "heap",
    measure: (sessions, names, effort, load) =>
      raceNamed(
        { ...ECHO, sessions, connections: Math.min(16, sessions), wiring: { ...HTTP, era: "legacy", sessions: true } },
        names,
        effort,
        load,
      ),
  },
  {
    id: "growth-in-flight",
    title: "stdio modern, echo 100 B, by calls in flight",
    of: "calls in flight",
    memoryTitle: "peak resident memory",
    points: [1, 10, 100, 1_000, 10_000],
    entrants: { toolwire: 10_000, v2: 10_000, raw: 10_000 },
    memory: "peak",
    measure: (inFlight, names, effort, load) =>
      raceNamed(
        { ...ECHO, inFlight, connections: 1, wiring: { ...HTTP, transport: "stdio", era: "modern" } },
        names,
        effort,
        load,
      ),
  },
  {
    id: "growth-client-in-flight",
    title: "client over HTTP, JSON, echo 100 B, by calls in flight",
    of: "calls in flight",
    memoryTitle: "peak resident memory",
    points: [1, 10, 100, 1_000, 10_000],
    // The official client answers next to nothing beyond that.
    entrants: { toolwire: 10_000, v2: 1_000, undici: 10_000 },
    memory: "peak",
    measure: (inFlight, names, effort) =>
      raceClients(
        { ...CLIENT, inFlight },
        clients.filter(({ name }) => names.includes(name)),
        effort,
      ),
  },
];

/** The ids of all plots. */
export const growthIds: readonly string[] = AXES.map(({ id }) => id);

/** Measures one plot. */
export async function measureGrowth(id: string, effort: Effort, load: LoadProcess): Promise<Growth> {
  const axis = AXES.find((each) => each.id === id);
  if (axis === undefined) throw new Error(`There is no plot "${id}".`);
  const names = Object.keys(axis.entrants);
  const measured: Outcome[][] = [];
  for (const point of axis.points) {
    const able = names.filter((name) => point <= (axis.entrants[name] ?? 0));
    measured.push(await axis.measure(point, able, effort, load));
  }
  const series = names.map((name) => {
    const outcomes = measured.map((outcomesOfPoint) => outcomesOfPoint.find((outcome) => outcome.name === name));
    return {
      name,
      rates: outcomes.map((outcome) => readRate(outcome)),
      memory: outcomes.map((outcome) => readMemory(outcome, axis.memory)),
    };
  });
  const { title, of, memoryTitle, points } = axis;
  return { id, title, of, memoryTitle, points, series };
}

async function raceNamed(
  scenario: ServerScenario,
  names: readonly string[],
  effort: Effort,
  load: LoadProcess,
): Promise<Outcome[]> {
  // Sessions pile up in a server, so that every point gets new ones.
  const pool = new ServerPool(load);
  try {
    return await raceServers(
      scenario,
      contenders.filter(({ name }) => names.includes(name)),
      effort,
      pool,
    );
  } finally {
    await pool.stop();
  }
}

function readRate(outcome: Outcome | undefined): number | undefined {
  return outcome !== undefined && "rates" in outcome ? summarize(outcome.rates).median : undefined;
}

function readMemory(outcome: Outcome | undefined, kind: "heap" | "peak"): number | undefined {
  return outcome !== undefined && "memory" in outcome ? outcome.memory[kind] : undefined;
}
