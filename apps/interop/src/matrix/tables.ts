import { markdownTable } from "@toolwire/evidence";
import type { Transport } from "../clients/task.ts";
import { STEPS, type StepOutcome } from "../steps/run-steps.ts";
import type { Matrix } from "./cells.ts";
import type { CellVerdict } from "./judge-cell.ts";

const TRANSPORTS: readonly (readonly [Transport, string])[] = [
  ["stdio", "stdio"],
  ["http", "HTTP"],
  ["sse", "HTTP+SSE"],
  ["websocket", "WebSocket"],
];

/** One row a peer, one column a transport: how many steps passed, and in which revision. */
export function summarizeMatrix({ head, rows }: Matrix, verdicts: readonly CellVerdict[]): string {
  return markdownTable(
    [head, ...TRANSPORTS.map(([, title]) => title)],
    rows.map(({ title, cells }) => [
      title,
      ...TRANSPORTS.map(([transport]) => {
        const verdict = verdicts.find(({ cell }) => cell.transport === transport && cells.includes(cell));
        return verdict === undefined ? "" : `${verdict.passed}/${verdict.possible}, ${verdict.revision}`;
      }),
    ]),
  );
}

/** One row a pair, one column a step. */
export function listCells({ head, rows }: Matrix, verdicts: readonly CellVerdict[]): string {
  const names = new Map(TRANSPORTS);
  return markdownTable(
    [head, "transport", "revision", ...STEPS],
    rows.flatMap(({ title, cells }) =>
      verdicts
        .filter(({ cell }) => cells.includes(cell))
        .map(({ cell, revision, outcomes }) => [
          title,
          names.get(cell.transport) ?? "",
          revision,
          ...outcomes.map(mark),
        ]),
    ),
  );
}

function mark(outcome: StepOutcome): string {
  if (outcome === "passed") return "✓";
  return outcome === "impossible" ? "–" : "✗";
}

/** Why some steps are not possible with some servers. */
export function explainLimits(matrices: readonly Matrix[]): string {
  const limits = matrices.flatMap(({ rows }) =>
    rows.flatMap(({ cells }) => cells.flatMap(({ server }) => server.limits ?? [])),
  );
  return [...new Set(limits.map(({ step, reason }) => `- ${step}: ${reason}`))].join("\n");
}
