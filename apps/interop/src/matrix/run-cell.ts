import { canFindLeftovers, findLeftovers, runGroup, type Recording, type Side } from "@toolwire/evidence";
import type { ClientTask } from "../clients/task.ts";
import { openEndpoint, type Endpoint } from "../processes/endpoint.ts";
import { launchOwn, launchPackage, type Launch } from "../processes/launch.ts";
import { mentionOf, type Place } from "../processes/place.ts";
import type { StepOutcome, StepOutcomes } from "../steps/outcomes.ts";
import { isOfApp, limitsOf, type Cell } from "./cell.ts";

/** How a pair got along. */
export interface CellRun {
  /** How the steps ended; absent if the two did not even connect. */
  readonly outcomes: StepOutcomes | undefined;
  /** What was printed about what went wrong. */
  readonly complaint: string;
  /** What went over the wires, from the client on. */
  readonly hops: readonly Hop[];
}

/** What went over one wire. */
interface Hop {
  readonly recordings: readonly Recording[];
  /** Which of its ends are ours. */
  readonly ours: readonly Side[];
}

/** Connecting and all steps; only something that hangs takes longer. */
const CLIENT_MS = 90_000;

/**
 * Starts both halves as processes of their own, with a tap between them, and waits until the client is done. Afterwards
 * nothing of them is left; if that takes force, the step `end` has failed.
 */
export async function runCell(cell: Cell, knownToFail: readonly string[], place: Place): Promise<CellRun> {
  // From the client on.
  const endpoints: Endpoint[] = [];
  const run = await openAndRun(cell, endpoints, knownToFail, place).catch((error: unknown) => ({
    // What does not start is a problem of this pair alone.
    outcomes: undefined,
    complaint: (error as Error).message,
  }));
  for (const endpoint of endpoints) await endpoint.stop();
  const end = await findEnd(place);
  for (const endpoint of endpoints) await endpoint.end();
  const hops = endpoints.map(({ recordings }, index) => ({ recordings: recordings(), ours: oursOf(cell, index) }));
  return { ...run, outcomes: run.outcomes && { ...run.outcomes, end }, hops };
}

async function openAndRun(
  cell: Cell,
  endpoints: Endpoint[],
  knownToFail: readonly string[],
  place: Place,
): Promise<Pick<CellRun, "outcomes" | "complaint">> {
  const { server, bridge, transport } = cell;
  const behind = bridge?.back ?? transport;
  let endpoint = await openEndpoint(await launchServer(cell, place), behind, `${mentionOf(place)}server`);
  endpoints.unshift(endpoint);
  if (bridge !== undefined) {
    const { command = [], url = "" } = endpoint;
    const launch = await launchPackage(bridge.program, { transport, command, url }, place);
    endpoint = await openEndpoint(launch, transport, `${mentionOf(place)}bridge`);
    endpoints.unshift(endpoint);
  }
  const { mode, program } = cell.client;
  const { command, variables, url } = endpoint;
  const task: ClientTask = {
    sdk: program.sdk,
    mode,
    transport,
    command,
    variables,
    url,
    script: server.script ?? "standard",
    calls: server.calls,
    without: limitsOf(cell).map(({ step }) => step),
    knownToFail,
  };
  return runClient(launchOwn("clients", program, [JSON.stringify(task)], place));
}

async function launchServer({ server: { program }, bridge, transport }: Cell, place: Place): Promise<Launch> {
  const spoken = bridge?.back ?? transport;
  if (!isOfApp(program)) return launchPackage(program, { transport: spoken, command: [], url: "" }, place);
  return launchOwn("servers", program, program.sdk === undefined ? [spoken] : [spoken, program.sdk], place);
}

async function runClient({
  command,
  variables,
  inherited,
  folder,
}: Launch): Promise<Pick<CellRun, "outcomes" | "complaint">> {
  const env = variables ?? inherited;
  const { stdout, stderr, isLate } = await runGroup(command, { env, cwd: folder, milliseconds: CLIENT_MS });
  const line = stdout.split("\n").find((candidate) => candidate.startsWith("{"));
  const lateness = isLate ? `\nnot done within ${CLIENT_MS} ms` : "";
  return {
    outcomes: line === undefined ? undefined : (JSON.parse(line) as StepOutcomes),
    complaint: stderr + lateness,
  };
}

/** Whether all processes of a pair have ended by themselves. Those that have not are killed. */
async function findEnd(place: Place): Promise<StepOutcome> {
  if (!canFindLeftovers) return "impossible";
  const leftovers = await findLeftovers(mentionOf(place));
  for (const { pid } of leftovers) process.kill(pid, "SIGKILL");
  if (leftovers.length === 0) return "passed";
  return { failed: `still running: ${leftovers.map(({ commandLine }) => commandLine).join("; ")}` };
}

/** Our client is at the near end of the first wire, our server at the far end of the last one. */
function oursOf({ client, bridge, server }: Cell, index: number): Side[] {
  const isLast = bridge === undefined || index === 1;
  return [
    ...(index === 0 && client.isOurs === true ? (["client"] as const) : []),
    ...(isLast && server.isOurs === true ? (["server"] as const) : []),
  ];
}
