import type { PageLocation } from "./query.ts";

/** The time spans that are offered. */
export const SPANS = [
  { id: "15m", label: "15 min", name: "15 minutes" },
  { id: "1h", label: "1 h", name: "hour" },
  { id: "6h", label: "6 h", name: "6 hours" },
  { id: "24h", label: "24 h", name: "24 hours" },
  { id: "7d", label: "7 d", name: "7 days" },
  { id: "30d", label: "30 d", name: "30 days" },
] as const;

/** The id of a time span. */
type SpanId = (typeof SPANS)[number]["id"];

/** A location whose time span is known, whether or not somebody has chosen one. */
export interface RangeLocation extends PageLocation {
  /** The time span that fits the calls. It holds until somebody chooses another one. */
  readonly fitting: SpanId;
}

/** The filters of calls that the URL can have, in the order in which they are shown. */
export const FILTERS = ["server", "tool", "outcome", "principal", "client"] as const;

/** The time span that was chosen by its ends, as on a chart. */
export function chosenTime({ query }: PageLocation): { readonly from: string; readonly to: string } | undefined {
  const from = query.get("from");
  const to = query.get("to");
  return from === null || to === null ? undefined : { from, to };
}

/** The query for the admin API: time span and filters. */
export function filterQuery(location: RangeLocation): URLSearchParams {
  const query = new URLSearchParams(chosenTime(location) ?? { last: lastOf(location) });
  for (const name of FILTERS) {
    const value = location.query.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  return query;
}

/** The time span up to now, such as `24h`. */
export function lastOf({ query, fitting }: RangeLocation): string {
  return query.get("last") ?? fitting;
}

/** The part of a query that takes the chosen time span along to another view. Empty if none was chosen. */
export function keptRange(location: PageLocation): string {
  const last = location.query.get("last");
  const kept = chosenTime(location) ?? (last === null ? {} : { last });
  const text = new URLSearchParams({ ...kept }).toString();
  return text === "" ? "" : `?${text}`;
}

/** The time span in words, for headings and for people who cannot see the switch. */
export function describeRange(location: RangeLocation): string {
  if (chosenTime(location) !== undefined) return "the chosen time";
  const last = lastOf(location);
  return `the last ${SPANS.find(({ id }) => id === last)?.name ?? last}`;
}
