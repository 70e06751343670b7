import type { OperationReport, SkipKind } from "@toolwire/openapi";

/** Operations of a document that are no tools for the same reason. */
export interface LeftOut {
  /** Whether somebody has chosen so, or it is deprecated, or it cannot be one. */
  readonly kind: SkipKind;
  readonly reason: string;
  /** The operations, such as `GET /users/{id}`. */
  readonly operations: readonly string[];
}

/** How many operations are named without being asked for. */
const MOST_NAMED = 3;

/** Groups skipped operations by their reasons. The largest group comes first. */
export function groupLeftOut(operations: readonly OperationReport[]): readonly LeftOut[] {
  const groups = new Map<string, { kind: SkipKind; operations: string[] }>();
  for (const { outcome, method, path, notes, skipped = "problem" } of operations) {
    if (outcome !== "skipped") continue;
    const reason = notes.join(" ");
    const group = groups.get(reason) ?? { kind: skipped, operations: [] };
    group.operations.push(`${method} ${path}`);
    groups.set(reason, group);
  }
  return [...groups]
    .map(([reason, { kind, operations: names }]) => ({ kind, reason, operations: names }))
    .toSorted((one, other) => other.operations.length - one.operations.length);
}

/** Says in one line what was left out and why, with the names of some operations. */
export function describeLeftOut({ reason, operations }: LeftOut): string {
  const [only, ...others] = operations;
  if (others.length === 0) return `${only} is no tool: ${reason}`;
  const named = operations.slice(0, MOST_NAMED).join(", ");
  const more = operations.length > MOST_NAMED ? ` and ${operations.length - MOST_NAMED} more` : "";
  return `${operations.length} operations are no tools: ${reason} (${named}${more})`;
}
