/** Races servers under the load of another process. */
import type { Contender, Offer } from "../contenders/contender.ts";
import type { Throughput, Window } from "../load/load.ts";
import type { MemoryUse } from "../processes/memory.ts";
import type { ServerScenario } from "../workload/scenario.ts";
import { type Effort, type Entrant, type Outcome, race } from "./race.ts";
import type { RunningServer, ServerPool } from "./server-pool.ts";

/** Races everyone who can take part in a scenario. The servers stay in the pool. */
export async function raceServers(
  scenario: ServerScenario,
  contenders: readonly Contender[],
  effort: Effort,
  pool: ServerPool,
): Promise<Outcome[]> {
  const entrants: Entrant[] = [];
  const absent: Outcome[] = [];
  for (const contender of contenders) {
    const offer = contender.offer(scenario.wiring);
    if (typeof offer === "string") absent.push({ name: contender.name, absence: offer });
    else entrants.push(new ServerEntrant(contender, offer, scenario, pool));
  }
  await pool.changeTo(scenario.wiring);
  return [...(await race(entrants, effort)), ...absent];
}

class ServerEntrant implements Entrant {
  readonly name: string;
  readonly note?: string;
  readonly #offer: Offer;
  readonly #scenario: ServerScenario;
  readonly #pool: ServerPool;
  #server: RunningServer | undefined;

  constructor(contender: Contender, offer: Offer, scenario: ServerScenario, pool: ServerPool) {
    this.name = contender.name;
    if (offer.note !== undefined) this.note = offer.note;
    this.#offer = offer;
    this.#scenario = scenario;
    this.#pool = pool;
  }

  async prepare(): Promise<boolean> {
    const { wiring, accept } = this.#offer;
    const { call, connections, inFlight, sessions } = this.#scenario;
    const { server, isWarm } = await this.#pool.open(this.name, wiring);
    this.#server = server;
    await this.#pool.load.ask("prepare", {
      contender: this.name,
      wiring,
      call,
      connections,
      inFlight,
      isValidating: this.name !== "raw",
      ...(sessions !== undefined && { sessions }),
      ...(accept !== undefined && { accept }),
      ...(server.port !== undefined && { port: server.port }),
    });
    return isWarm;
  }

  measure(window: Window): Promise<Throughput> {
    return this.#pool.load.ask("measure", { contender: this.name, ...window });
  }

  async readMemory(): Promise<MemoryUse> {
    if (this.#server === undefined) throw new Error("There is no server.");
    return this.#server.readMemory();
  }

  async release(hasFailed: boolean): Promise<void> {
    if (hasFailed) await this.#pool.discard(this.name);
  }
}
