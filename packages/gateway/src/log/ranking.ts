import type { ClientTotals, ToolTotals } from "./call-log.ts";
import type { Tally } from "./tally.ts";

/** The first tools by calls or by failures. Equal ones are in the order of their names, so that lists do not jump. */
export function rankTools(
  tools: readonly { readonly server: string; readonly tool: string; readonly tally: Tally }[],
  by: "calls" | "failures" = "calls",
  limit: number = tools.length,
): readonly ToolTotals[] {
  return tools
    .filter(({ tally }) => tally[by] > 0)
    .toSorted(
      (one, other) =>
        other.tally[by] - one.tally[by] || compareNames(one.server, other.server) || compareNames(one.tool, other.tool),
    )
    .slice(0, limit)
    .map(({ server, tool, tally }) => ({ server, tool, ...tally.totals() }));
}

/** The first clients by calls. */
export function rankClients(clients: readonly ClientTotals[], limit: number): readonly ClientTotals[] {
  return clients
    .toSorted((one, other) => other.calls - one.calls || compareNames(one.client, other.client))
    .slice(0, limit);
}

/** By the bytes of UTF-8, as Postgres does with the collation "C". */
function compareNames(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
