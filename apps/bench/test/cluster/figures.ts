/** A run that was never measured, with figures that can be reckoned with in the head. */
import type { ClusterFigures } from "../../src/cluster/figures.ts";
import type { Figures } from "../../src/cluster/rates.ts";
import { MEASURED } from "../../src/cluster/wiring.ts";

/** One contender whose calls cost so many microseconds in each of three rounds, with a machine that is slow in the second. */
export function contender(name: string, cost: number, failure?: string): Figures {
  const costs = failure === undefined ? [cost, cost * 2, cost] : [];
  return {
    name,
    description: `what ${name} is`,
    rates: costs.map((each) => 1e6 / each),
    costs,
    engineCosts: [],
    failure,
  };
}

export const FIGURES: ClusterFigures = {
  circumstances: "Measured somewhere.",
  races: [
    {
      title: "Modern calls, and telemetry",
      base: "modern",
      figures: [
        contender("modern", 20),
        contender("modern-redis", 25),
        contender("modern-postgres", 1, "There is no\nPostgres."),
      ],
    },
    {
      title: "Legacy sessions, answers in JSON",
      base: "session",
      figures: [contender("session", 20), contender("warm-redis", 20), contender("cold-redis", 50)],
    },
  ],
  footprints: [
    { what: "idle", count: 1, heap: 10e6, resident: 80e6 },
    { what: "view", count: 1000, heap: 2500, resident: 2000 },
    { what: "stream", count: 1000, heap: 7000, resident: 8000 },
    { what: "record-redis", count: 1000, resident: 500 },
  ],
  latencies: [
    {
      engine: "redis",
      direct: { p50: 1, p99: 2, count: 100 },
      elsewhere: { p50: 1.5, p99: 4, count: 100 },
      change: { p50: 3, p99: 6, count: 100 },
      listeners: 10,
    },
  ],
  operations: MEASURED.map((operation) => ({
    engine: "redis",
    operation,
    ms: 0.1,
    rate: 10_000,
    engineCpu: 10,
    nodeCpu: 20,
    bytes: 400,
  })),
  simulation: undefined,
  failures: ["record-postgres: There is no Postgres."],
};
