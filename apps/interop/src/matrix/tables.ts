import { markdownTable } from "@toolwire/evidence";
import type { StepOutcome } from "../steps/outcomes.ts";
import { limitsOf, type Matrix } from "./cell.ts";
import type { CellVerdict } from "./judge-cell.ts";
import { knownFailuresOf, type KnownFailure } from "./known-failures.ts";

/** One row per peer, one column per variant: how many steps passed, and the revision. */
export function summarizeMatrix({ head, variants, rows }: Matrix, verdicts: readonly CellVerdict[]): string {
  const used = new Set(rows.flatMap(({ cells }) => cells.map(variants.titleOf)));
  const columns = variants.titles.filter((title) => used.has(title));
  return markdownTable(
    [head, ...columns],
    rows.map(({ title, cells }) => [
      title,
      ...columns.map((column) => {
        const verdict = verdicts.find(({ cell }) => cells.includes(cell) && variants.titleOf(cell) === column);
        return verdict === undefined ? "" : `${verdict.passed}/${verdict.possible}, ${verdict.revision}`;
      }),
    ]),
  );
}

/** One row per pair, one column per step. */
export function listCells({ head, steps, variants, rows }: Matrix, verdicts: readonly CellVerdict[]): string {
  return markdownTable(
    [head, variants.head, "revision", ...steps],
    rows.flatMap(({ title, cells }) =>
      verdicts
        .filter(({ cell }) => cells.includes(cell))
        .map(({ cell, revision, outcomes }) => [
          title,
          variants.titleOf(cell),
          revision,
          ...steps.map((step) => mark(outcomes[step])),
        ]),
    ),
  );
}

function mark(outcome: StepOutcome | undefined): string {
  if (outcome === "passed") return "✓";
  return typeof outcome === "object" ? "✗" : "–";
}

/** Lists the limits of all pairs. */
export function explainLimits(matrices: readonly Matrix[]): string {
  const limits = matrices.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.flatMap(limitsOf)));
  return [...new Set(limits.map(({ step, reason }) => `- ${step}: ${reason}`))].join("\n");
}

/** Lists the known failures, with the peers that they apply to. */
export function explainFailures(matrices: readonly Matrix[], failures: readonly KnownFailure[]): string {
  return failures
    .map((failure) => {
      const peers = matrices.flatMap((matrix) => findPeers(matrix, failure));
      return peers.length === 0 ? "" : `- ${failure.steps.join(", ")}: ${failure.reason} (${peers.join("; ")})`;
    })
    .filter((line) => line !== "")
    .join("\n");
}

/** The rows that a failure applies to, with the variants if it does not apply to all of them. */
function findPeers({ rows, variants }: Matrix, failure: KnownFailure): string[] {
  return rows.flatMap(({ title, cells }) => {
    const known = cells.filter((cell) => knownFailuresOf(cell, [failure]).length > 0);
    if (known.length === 0) return [];
    return known.length === cells.length ? [title] : [`${title}: ${known.map(variants.titleOf).join(", ")}`];
  });
}
