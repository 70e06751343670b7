import { checkMessages, decodeMessages, type RevisionSchema, type SentMessage, type Side } from "@toolwire/evidence";
import { STEPS, type StepOutcome } from "../steps/run-steps.ts";
import type { Cell } from "./cells.ts";
import type { CellRun } from "./run-cell.ts";

/** What there is to say about a pair. */
export interface CellVerdict {
  readonly cell: Cell;
  /** The revision they have agreed on. */
  readonly revision: string;
  readonly passed: number;
  /** How many steps both sides could do. */
  readonly possible: number;
  readonly outcomes: readonly StepOutcome[];
  /** How many messages of ours were checked. */
  readonly messages: number;
  readonly problems: readonly string[];
}

/** Judges a run by its steps, and by every message of ours that went over the wire. */
export function judgeCell(
  cell: Cell,
  { outcomes, complaint, recordings }: CellRun,
  schemas: ReadonlyMap<string, RevisionSchema> | undefined,
): CellVerdict {
  const messages = decodeMessages(recordings);
  const wire = ourSides(cell).map((side) => checkMessages(messages, side, schemas ?? new Map()));
  const failures = STEPS.flatMap((step) => {
    const outcome = outcomes?.[step];
    return typeof outcome === "object" ? [`${step}: ${outcome.failed}`] : [];
  });
  const list = outcomes === undefined ? [] : STEPS.map((step) => outcomes[step]);
  return {
    cell,
    revision: agreedRevision(messages),
    passed: list.filter((outcome) => outcome === "passed").length,
    possible: list.filter((outcome) => outcome !== "impossible").length,
    outcomes: list,
    messages:
      schemas === undefined ? 0 : wire.flatMap(({ checked }) => [...checked.values()]).reduce((a, b) => a + b, 0),
    problems: [
      ...(outcomes === undefined ? [`did not get to the end: ${complaint.trim().slice(-800)}`] : []),
      ...failures,
      ...(schemas === undefined ? [] : wire.flatMap(({ problems }) => problems)),
    ],
  };
}

function ourSides({ client, server }: Cell): Side[] {
  const isOurs = ({ program }: { readonly program: string }): boolean => program === "toolwire";
  return [...(isOurs(client) ? (["client"] as const) : []), ...(isOurs(server) ? (["server"] as const) : [])];
}

/** What the last handshake ended with; without any, the revision that requests name. */
function agreedRevision(messages: readonly SentMessage[]): string {
  const found = messages.flatMap(({ message }) => {
    const { result, params } = message as {
      result?: { protocolVersion?: string };
      params?: { _meta?: { [key: string]: unknown } };
    };
    return { agreed: result?.protocolVersion, named: params?._meta?.["io.modelcontextprotocol/protocolVersion"] };
  });
  const agreed = found.findLast((item) => item.agreed !== undefined)?.agreed;
  const named = found.findLast((item) => item.named !== undefined)?.named;
  return agreed ?? (typeof named === "string" ? named : "none");
}
