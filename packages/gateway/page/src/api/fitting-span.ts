import type { SpanView } from "../../../src/admin/views.ts";
import { usePoll } from "./poll.ts";

/** The time span that fits the calls of the log, looked up again every minute. `undefined` until it is known. */
export function useFittingSpan(): SpanView["span"] | undefined {
  const { data, error } = usePoll<SpanView>("analytics/span", 60_000);
  return data?.span ?? (error === undefined ? undefined : "24h");
}
