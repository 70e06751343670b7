/** Races clients against a canned server in another process, or both halves in one. */
import { fileURLToPath } from "node:url";
import type { CannedCommands } from "../canned/main.ts";
import type { ClientContender, ClientTarget } from "../clients/client.ts";
import type { ClientCommands } from "../clients/main.ts";
import type { Throughput, Window } from "../load/load.ts";
import type { MemoryUse } from "../processes/memory.ts";
import { pinCommand } from "../processes/pinning.ts";
import { findProgram } from "../processes/programs.ts";
import { Worker } from "../processes/worker.ts";
import type { ClientScenario, ServerScenario } from "../workload/scenario.ts";
import { type Effort, type Entrant, type Outcome, race } from "./race.ts";

const CANNED = new URL("../canned/main.js", import.meta.url);
const CANNED_STDIO = fileURLToPath(new URL("../canned/stdio.js", import.meta.url));

/** A process that calls. */
type ClientProcess = Worker<ClientCommands>;

type CannedProcess = Worker<CannedCommands>;

/** Starts a process that calls. */
function startClient(contender: string): ClientProcess {
  const { script, name } = findProgram(contender, "clients/main.js");
  return new Worker({ script, role: "measured", arguments: [name] });
}

/** Races clients against a canned server. */
export async function raceClients(
  scenario: ClientScenario,
  clients: readonly ClientContender[],
  effort: Effort,
): Promise<Outcome[]> {
  const { transport, inFlight } = scenario;
  const canned = await openCanned(scenario);
  try {
    return await raceEntrants(clients, { transport }, canned.target, inFlight, effort);
  } finally {
    await canned.process?.stop();
  }
}

/** Races pairs of a client and a server of the same make, in one process. */
export function racePairs(
  { call, inFlight, wiring: { isSerialized = false } }: ServerScenario,
  clients: readonly ClientContender[],
  effort: Effort,
): Promise<Outcome[]> {
  const bytes = call.kind === "echo" ? call.bytes : 0;
  const asked = { transport: "memory", server: "own", isSerialized } as const;
  return raceEntrants(clients, asked, { ...asked, bytes }, inFlight, effort);
}

/** Starts the server that a scenario wants, if it is one that has to be started. */
async function openCanned({
  transport,
  answers,
  bytes,
}: ClientScenario): Promise<{ target: ClientTarget; process?: CannedProcess }> {
  if (transport === "memory") return { target: { transport, server: "canned", bytes } };
  if (transport === "stdio") {
    const command = pinCommand("load", [process.execPath, CANNED_STDIO, String(bytes)]);
    return { target: { transport, command, bytes } };
  }
  const canned: CannedProcess = new Worker({ script: CANNED, role: "load" });
  const port = await canned.ask("listen", { transport, answers, bytes });
  const target: ClientTarget =
    transport === "http"
      ? { transport, url: `http://127.0.0.1:${port}/mcp`, answers, bytes }
      : { transport, url: `ws://127.0.0.1:${port}/mcp`, bytes };
  return { target, process: canned };
}

async function raceEntrants(
  clients: readonly ClientContender[],
  asked: Parameters<ClientContender["offer"]>[0],
  target: ClientTarget,
  inFlight: number,
  effort: Effort,
): Promise<Outcome[]> {
  const entrants: Entrant[] = [];
  const absent: Outcome[] = [];
  for (const client of clients) {
    const offer = client.offer(asked);
    if (typeof offer === "string") absent.push({ name: client.name, absence: offer });
    else entrants.push(new ClientEntrant(client.name, offer.note, target, inFlight));
  }
  return [...(await race(entrants, effort)), ...absent];
}

class ClientEntrant implements Entrant {
  readonly name: string;
  readonly note?: string;
  readonly #target: ClientTarget;
  readonly #inFlight: number;
  #process: ClientProcess | undefined;

  constructor(name: string, note: string | undefined, target: ClientTarget, inFlight: number) {
    this.name = name;
    if (note !== undefined) this.note = note;
    this.#target = target;
    this.#inFlight = inFlight;
  }

  async prepare(): Promise<boolean> {
    this.#process = startClient(this.name);
    await this.#process.ask("connect", this.#target);
    return false;
  }

  async measure(window: Window): Promise<Throughput> {
    if (this.#process?.isAlive !== true) await this.prepare();
    const client = this.#process as ClientProcess;
    const { calls, ms, isDrained } = await client.ask("measure", { inFlight: this.#inFlight, ...window });
    // Anything left over would disturb the next measurement.
    if (!isDrained) await client.stop();
    return { calls, ms };
  }

  async readMemory(): Promise<MemoryUse> {
    if (this.#process?.isAlive !== true) await this.prepare();
    return (this.#process as ClientProcess).ask("memory", undefined);
  }

  async release(): Promise<void> {
    await this.#process?.stop();
  }
}
