import {
  canFindLeftovers,
  findLeftovers,
  killLeftovers,
  startGroup,
  untilFinished,
  type Finished,
  type ProcessGroup,
  type Recording,
  type Side,
} from "@toolwire/evidence";
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
  /** The stderr of the client, or why it was not started. */
  readonly complaint: string;
  /** The connections from client to server: two if there is a bridge. */
  readonly hops: readonly Hop[];
}

/** The messages of one connection. */
interface Hop {
  readonly recordings: readonly Recording[];
  /** Which of its sides are ours. */
  readonly ours: readonly Side[];
}

/** Time limit for a client: connecting and all steps. */
const CLIENT_MS = 90_000;

/** The processes that were started for a pair, even if a later one could not be started. */
interface Started {
  /** The one that the client connects to comes first. */
  readonly endpoints: Endpoint[];
  client?: ProcessGroup;
}

/**
 * Starts server, bridge and client as processes, with taps between them, and waits until the client has exited. Afterwards
 * it ends all processes. The step `end` fails if some of them had to be killed.
 */
export async function runCell(cell: Cell, knownToFail: readonly string[], place: Place): Promise<CellRun> {
  const started: Started = { endpoints: [] };
  const run = await openAndRun(cell, started, knownToFail, place).catch((error: unknown) => ({
    // The other pairs can still be run.
    outcomes: undefined,
    complaint: (error as Error).message,
  }));
  const { endpoints, client } = started;
  for (const endpoint of endpoints) await endpoint.stop();
  const end = await findEnd(place);
  for (const group of [client, ...endpoints]) await group?.end();
  const hops = endpoints.map(({ recordings }, index) => ({ recordings: recordings(), ours: oursOf(cell, index) }));
  return { ...run, outcomes: run.outcomes && { ...run.outcomes, end }, hops };
}

async function openAndRun(
  cell: Cell,
  started: Started,
  knownToFail: readonly string[],
  place: Place,
): Promise<Pick<CellRun, "outcomes" | "complaint">> {
  const { bridge, transport } = cell;
  let endpoint = await openEndpoint(
    await launchServer(cell, place),
    bridge?.back ?? transport,
    `${mentionOf(place)}server`,
  );
  started.endpoints.unshift(endpoint);
  if (bridge !== undefined) {
    const { command = [], url = "" } = endpoint;
    const launch = await launchPackage(bridge.program, { transport, command, url }, place);
    endpoint = await openEndpoint(launch, transport, `${mentionOf(place)}bridge`);
    started.endpoints.unshift(endpoint);
  }
  const task = JSON.stringify(taskFor(cell, endpoint, knownToFail));
  const { command, folder, variables, inherited } = launchOwn("clients", cell.client.program, [task], place);
  const env = variables ?? inherited;
  started.client = startGroup(command, { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  return readOutcomes(await untilFinished(started.client, CLIENT_MS));
}

async function launchServer({ server: { program }, bridge, transport }: Cell, place: Place): Promise<Launch> {
  const spoken = bridge?.back ?? transport;
  if (!isOfApp(program)) return launchPackage(program, { transport: spoken, command: [], url: "" }, place);
  return launchOwn("servers", program, program.sdk === undefined ? [spoken] : [spoken, program.sdk], place);
}

function taskFor(cell: Cell, { command, variables, url }: Endpoint, knownToFail: readonly string[]): ClientTask {
  const { client, server, transport } = cell;
  return {
    sdk: client.program.sdk,
    mode: client.mode,
    transport,
    command,
    variables,
    url,
    script: server.script ?? "standard",
    calls: server.calls,
    without: limitsOf(cell).map(({ step }) => step),
    knownToFail,
  };
}

/** Reads the line of JSON that a client prints. */
function readOutcomes({ stdout, stderr, isLate }: Finished): Pick<CellRun, "outcomes" | "complaint"> {
  const line = stdout.split("\n").find((candidate) => candidate.startsWith("{"));
  return {
    outcomes: line === undefined ? undefined : (JSON.parse(line) as StepOutcomes),
    complaint: isLate ? `${stderr}\nnot done within ${CLIENT_MS} ms` : stderr,
  };
}

/** Checks that all processes of a pair have exited, and kills the others. */
async function findEnd(place: Place): Promise<StepOutcome> {
  if (!canFindLeftovers) return "impossible";
  const leftovers = await findLeftovers(mentionOf(place));
  killLeftovers(leftovers);
  if (leftovers.length === 0) return "passed";
  return { failed: `still running: ${leftovers.map(({ commandLine }) => commandLine).join("; ")}` };
}

/** The client is a side of the first connection, the server of the last one. */
function oursOf({ client, bridge, server }: Cell, index: number): Side[] {
  const isLast = bridge === undefined || index === 1;
  return [
    ...(index === 0 && client.isOurs === true ? (["client"] as const) : []),
    ...(isLast && server.isOurs === true ? (["server"] as const) : []),
  ];
}
