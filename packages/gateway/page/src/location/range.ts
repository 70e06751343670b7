import type { PageLocation } from "./location.ts";

/** The time spans that are offered. */
export const SPANS = [
  { id: "15m", label: "15 min", name: "15 minutes" },
  { id: "1h", label: "1 h", name: "hour" },
  { id: "6h", label: "6 h", name: "6 hours" },
  { id: "24h", label: "24 h", name: "24 hours" },
  { id: "7d", label: "7 d", name: "7 days" },
  { id: "30d", label: "30 d", name: "30 days" },
] as const;

/** The filters of calls that the URL can have, in the order in which they are shown. */
export const FILTERS = ["server", "tool", "outcome", "principal", "client"] as const;

/** The part of a query for the admin API that says which time span is meant. */
function rangeQuery({ query }: PageLocation): URLSearchParams {
  const from = query.get("from");
  const to = query.get("to");
  if (from !== null && to !== null) return new URLSearchParams({ from, to });
  return new URLSearchParams({ last: query.get("last") ?? "24h" });
}

/** The query for the admin API: time span and filters. */
export function filterQuery(location: PageLocation): URLSearchParams {
  const query = rangeQuery(location);
  for (const name of FILTERS) {
    const value = location.query.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  return query;
}

/** The time span in words, for headings and for people who cannot see the switch. */
export function describeRange({ query }: PageLocation): string {
  if (query.get("from") !== null && query.get("to") !== null) return "the chosen time";
  const span = SPANS.find(({ id }) => id === (query.get("last") ?? "24h"));
  return `the last ${span?.name ?? query.get("last") ?? ""}`;
}
