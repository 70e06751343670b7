import { OUTCOMES, type Outcome } from "../../log/call-record.ts";
import type { CallFilter, TimeRange } from "../../log/call-log.ts";
import { invalid } from "./admin-error.ts";

const UNITS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_SPAN = 400 * 86_400_000;

/** Lengths of intervals that people can read on an axis. */
const STEPS = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800].map(
  (seconds) => seconds * 1000,
);

/** So many intervals fit side by side into a chart. */
const MAX_INTERVALS = 100;

/** The most that {@link readStep} allows, which is what the call log takes. */
const MAX_POINTS = 1000;

/** The time span of a query: `last=24h`, or `from` and `to` as milliseconds since 1970 or ISO 8601. Default: the last day. */
export function readRange(query: URLSearchParams, now: number): TimeRange {
  const from = query.get("from");
  const to = query.get("to");
  if (from !== null || to !== null) {
    if (from === null) throw invalid("`to` needs a `from`: the start of the time span.");
    const range = { from: readTime(from, "from"), to: to === null ? now : readTime(to, "to") };
    if (range.from >= range.to) throw invalid("`from` must be before `to`.");
    if (range.to - range.from > MAX_SPAN) throw invalid("The time span must not be longer than 400 days.");
    return range;
  }
  const span = readDuration(query.get("last") ?? "24h", "last");
  return { from: now - span, to: now };
}

/** The length of the intervals of a series: `step=5m`, or one with which a chart is neither empty nor crowded. */
export function readStep(query: URLSearchParams, range: TimeRange): number {
  const span = range.to - range.from;
  const text = query.get("step");
  if (text !== null) {
    const step = readDuration(text, "step");
    if (span / step > MAX_POINTS - 1) {
      throw invalid(`\`step\` is too short: at most ${MAX_POINTS} intervals are given.`);
    }
    return step;
  }
  return STEPS.find((step) => span / step <= MAX_INTERVALS) ?? Math.ceil(span / MAX_INTERVALS);
}

/** Which calls are meant: `server`, `tool`, `outcome`, `principal`, `client`. */
export function readFilter(query: URLSearchParams): CallFilter {
  const outcome = readFilterText(query, "outcome");
  if (outcome !== undefined && !OUTCOMES.includes(outcome as Outcome)) {
    throw invalid(`\`outcome\` must be one of: ${OUTCOMES.join(", ")}.`);
  }
  return {
    server: readFilterText(query, "server"),
    tool: readFilterText(query, "tool"),
    outcome: outcome as Outcome | undefined,
    principal: readFilterText(query, "principal"),
    client: readFilterText(query, "client"),
  };
}

/** A whole number from 1 to `max`. */
export function readCount(query: URLSearchParams, name: string, preset: number, max: number): number {
  const given = query.get(name);
  if (given === null) return preset;
  const count = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (count < 1 || count > max) throw invalid(`\`${name}\` must be a whole number from 1 to ${max}.`);
  return count;
}

function readFilterText(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === "" ? undefined : value.slice(0, 256);
}

function readDuration(given: string, name: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(given);
  const duration = match === null ? 0 : Number(match[1]) * (UNITS[match[2] ?? ""] ?? 0);
  if (duration < 1000 || duration > MAX_SPAN) {
    throw invalid(`\`${name}\` must be a duration from 1s to 400d, such as 15m, 24h or 7d.`);
  }
  return duration;
}

function readTime(given: string, name: string): number {
  const time = /^\d{1,15}$/.test(given) ? Number(given) : Date.parse(given);
  if (!Number.isFinite(time)) {
    throw invalid(`\`${name}\` must be a time: milliseconds since 1970, or a text such as 2026-07-28T12:00:00Z.`);
  }
  return time;
}
