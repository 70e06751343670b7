/** The price of authorization: the same calls with the same token, to a server that verifies it and to one that ignores it. */
import { contender as toolwire } from "../contenders/toolwire.ts";
import { contender as toolwireProtected } from "../contenders/toolwire-protected.ts";
import type { ServerScenario } from "../workload/scenario.ts";
import type { Effort } from "./race.ts";
import { type LoadProcess, ServerPool } from "./server-pool.ts";
import { raceServers } from "./server-race.ts";
import { divideByRound, type Summary, summarize } from "./statistics.ts";

/** One row of the table. */
export interface AuthorizationPrice {
  readonly connections: number;
  /** Calls per second of both. */
  readonly open: Summary;
  readonly protected: Summary;
  /** Those of the protected server as a multiple of the other's, taken within rounds. */
  readonly ratio: Summary;
}

/** Races the two servers, with few and with many connections. */
export async function measureAuthorization(effort: Effort, load: LoadProcess): Promise<AuthorizationPrice[]> {
  const pool = new ServerPool(load);
  const rows: AuthorizationPrice[] = [];
  try {
    for (const connections of [1, 16, 64]) rows.push(await measureRow(connections, effort, pool));
  } finally {
    await pool.stop();
  }
  return rows;
}

async function measureRow(connections: number, effort: Effort, pool: ServerPool): Promise<AuthorizationPrice> {
  const scenario: ServerScenario = {
    id: `authorization-c${connections}`,
    title: "HTTP modern, JSON, echo 100 B with a token",
    wiring: { transport: "http", era: "modern", sessions: false, answers: "json", tools: 2, hasToken: true },
    call: { kind: "echo", bytes: 100 },
    connections,
    inFlight: 1,
  };
  const outcomes = await raceServers(scenario, [toolwire, toolwireProtected], effort, pool);
  const [open, guarded] = outcomes.map((outcome) => {
    if ("absence" in outcome) throw new Error(`${outcome.name} could not be measured: ${outcome.absence}`);
    return outcome.rates;
  });
  if (open === undefined || guarded === undefined) throw new Error("Two servers were to be measured.");
  return {
    connections,
    open: summarize(open),
    protected: summarize(guarded),
    ratio: summarize(divideByRound(guarded, open)),
  };
}
