import { formatTable } from "../printing/table.ts";
import type { Stage } from "./act.ts";
import { PROVOKED_ERRORS } from "./mistakes.ts";
import type { Speeds } from "./sprint.ts";

/** Checks the books of all transports, and shows them. */
export function summarize({ lanes, presenter, checks }: Stage, speeds: Speeds): void {
  presenter.act("The books", "What went over the wire of each transport. All errors were meant to happen.");
  const rows = lanes.map(({ name, client, journal: { totals } }) => {
    const { calls, matched, outOfOrder, errors, cancelled } = totals;
    checks.same(`${name}: every call has its answer, unless it was cancelled`, matched + cancelled, calls);
    checks.same(`${name}: cancelled calls`, cancelled, 1);
    checks.same(`${name}: errors`, errors, PROVOKED_ERRORS);
    checks.that(`${name}: answers out of order`, outOfOrder > 0);
    const speed = Math.round(speeds.get(name) ?? 0);
    return [name, client.revision, calls, matched, outOfOrder, cancelled, errors, speed].map((cell) =>
      cell.toLocaleString("en"),
    );
  });
  const header = ["transport", "revision", "calls", "matched", "out of order", "cancelled", "errors", "calls/s"];
  presenter.say(formatTable(header, rows).join("\n"));
}
