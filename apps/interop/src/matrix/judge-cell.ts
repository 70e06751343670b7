import { checkMessages, decodeMessages, type SchemaSet, type SentMessage } from "@toolwire/evidence";
import type { StepOutcomes } from "../steps/outcomes.ts";
import type { Cell } from "./cell.ts";
import { knownFailuresOf, type KnownFailure } from "./known-failures.ts";
import type { CellRun } from "./run-cell.ts";

/** The verdict on a pair. */
export interface CellVerdict {
  readonly cell: Cell;
  /** The negotiated revision; with a bridge, those on both sides of it, if they differ. */
  readonly revision: string;
  readonly passed: number;
  /** How many steps both sides could do. */
  readonly possible: number;
  readonly outcomes: StepOutcomes;
  /** How many messages of ours were checked. */
  readonly messages: number;
  readonly problems: readonly string[];
}

/** The standards that a run is held to. */
export interface Standards {
  /** Every message is checked against each of them. */
  readonly schemaSets: readonly SchemaSet[];
  readonly knownFailures: readonly KnownFailure[];
}

/** Judges a run by its steps, and by every message of ours that went over the wire. */
export function judgeCell(cell: Cell, run: CellRun, { schemaSets, knownFailures }: Standards): CellVerdict {
  const { outcomes = {}, complaint, hops } = run;
  const wires = hops.map(({ recordings, ours }) => ({ messages: decodeMessages(recordings), ours }));
  const reports = schemaSets.map(({ name, schemas }) => ({
    name,
    found: wires.flatMap(({ messages, ours }) => ours.map((side) => checkMessages(messages, side, schemas))),
  }));
  const known = new Set(knownFailuresOf(cell, knownFailures).flatMap(({ steps }) => steps));
  const list = Object.values(outcomes);
  return {
    cell,
    revision: [...new Set(wires.map(({ messages }) => agreedRevision(messages)))].join(" → ") || "none",
    passed: list.filter((outcome) => outcome === "passed").length,
    possible: list.filter((outcome) => outcome !== "impossible").length,
    outcomes,
    // Each set of schemas sees the same messages.
    messages: (reports[0]?.found ?? [])
      .flatMap(({ checked }) => [...checked.values()])
      .reduce((sum, count) => sum + count, 0),
    problems: [
      ...(run.outcomes === undefined ? [`did not get to the end: ${complaint.trim().slice(-800)}`] : []),
      ...findSurprises(outcomes, known),
      ...reports.flatMap(({ name, found }) =>
        found.flatMap(({ problems }) => problems.map((problem) => `${name}: ${problem}`)),
      ),
    ],
  };
}

/** Finds steps that failed unexpectedly, and steps that did not fail as expected. */
function findSurprises(outcomes: StepOutcomes, known: ReadonlySet<string>): string[] {
  return Object.entries(outcomes).flatMap(([step, outcome]) => {
    if (typeof outcome === "object") return known.has(step) ? [] : [`${step}: ${outcome.failed}`];
    return known.has(step) ? [`${step}: ${outcome}, although known-failures.ts says that it fails`] : [];
  });
}

/** The revision that most requests name in `_meta`, or else the one of the last handshake. */
function agreedRevision(messages: readonly SentMessage[]): string {
  const found = messages.map(({ message, sender }) => {
    const { method, id, result, params } = message as {
      method?: string;
      id?: unknown;
      result?: { protocolVersion?: string };
      params?: { _meta?: { [key: string]: unknown } };
    };
    return {
      isRequest: sender === "client" && method !== undefined && method !== "initialize" && id !== undefined,
      agreed: result?.protocolVersion,
      named: params?._meta?.["io.modelcontextprotocol/protocolVersion"],
    };
  });
  const agreed = found.findLast((item) => item.agreed !== undefined)?.agreed ?? "none";
  const requests = found.filter(({ isRequest }) => isRequest);
  const naming = requests.filter((request) => typeof request.named === "string");
  return naming.length * 2 > requests.length ? String(naming.at(-1)?.named) : agreed;
}
