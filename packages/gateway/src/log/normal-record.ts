import { toUSVString } from "node:util";
import type { CallFilter, TimeRange } from "./call-log.ts";
import { OUTCOMES, TIMED_STEPS, type CallRecord, type Outcome, type TimedStep } from "./call-record.ts";
import { isUuid } from "./call-id.ts";
import { bucketOf } from "./histogram.ts";
import type { CallCount } from "./tally.ts";

/** Stands for callers and tools that have no name of their own in figures. */
const UNKNOWN = "(unknown)";

const SOURCES: readonly CallRecord["source"][] = ["http", "openapi", "mcp", "none"];
const OPTIONAL_TEXTS = [
  ["principal", 256],
  ["clientName", 128],
  ["clientVersion", 64],
  ["userAgent", 256],
  ["error", 300],
  ["traceId", 64],
] as const;
const OPTIONAL_INTEGERS = ["rpcCode", "httpStatus"] as const;
const MOST_CAPTURED = 16_384;
const LATEST = Date.UTC(9999, 0);

/**
 * Makes a record that every store can keep and gives back as it is: texts cut to their limits and free of NUL, which
 * Postgres refuses, and of lone surrogates; times in whole microseconds. `undefined` if it is no record at all.
 */
export function normalizeRecord(value: unknown): CallRecord | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const record = value as { readonly [K in keyof CallRecord]?: unknown };
  const { id, at, outcome, source, steps } = record;
  if (typeof id !== "string" || !isUuid(id)) return undefined;
  if (typeof at !== "number" || !(at >= 0 && at < LATEST)) return undefined;
  if (!OUTCOMES.includes(outcome as Outcome)) return undefined;
  const normal: { -readonly [K in keyof CallRecord]: CallRecord[K] } = {
    id: id.toLowerCase(),
    at: Math.trunc(at),
    node: textOf(record.node, 128) ?? "",
    server: textOf(record.server, 128) ?? "",
    tool: textOf(record.tool, 128) ?? "",
    source: SOURCES.find((each) => each === source) ?? "none",
    revision: textOf(record.revision, 32) ?? "",
    outcome: outcome as Outcome,
    attempts: integerOf(record.attempts) ?? 0,
    durationMs: durationOf(record.durationMs) ?? 0,
    steps: stepsOf(steps),
    requestBytes: bytesOf(record.requestBytes),
    responseBytes: bytesOf(record.responseBytes),
    isTruncated: record.isTruncated === true,
  };
  for (const [member, longest] of OPTIONAL_TEXTS) {
    const text = textOf(record[member], longest);
    if (text !== undefined) normal[member] = text;
  }
  for (const member of OPTIONAL_INTEGERS) {
    const integer = integerOf(record[member]);
    if (integer !== undefined) normal[member] = integer;
  }
  const firstByteMs = durationOf(record.firstByteMs);
  if (firstByteMs !== undefined) normal.firstByteMs = firstByteMs;
  const capture = captureOf(record.capture);
  if (capture !== undefined) normal.capture = capture;
  return normal;
}

/** The name under which a tool counts in figures. */
export function countedTool(record: CallRecord): string {
  return record.outcome === "unknown-tool" ? UNKNOWN : record.tool;
}

/** The name under which a client program counts in figures. */
export function countedClient(record: CallRecord): string {
  if (record.clientName !== undefined && record.clientName !== "") return record.clientName;
  const product = /^[^\s/]+/.exec(record.userAgent ?? "")?.[0];
  return product ?? UNKNOWN;
}

/** Counts one call. */
export function countOf(record: CallRecord): CallCount {
  return {
    outcome: record.outcome,
    bucket: bucketOf(record.durationMs),
    calls: 1,
    bytes: record.requestBytes + record.responseBytes,
  };
}

/** Whether a record is in a range and fits a filter. `nameOf` says which name of its tool is meant. */
export function isMatch(
  record: CallRecord,
  range: TimeRange,
  filter: CallFilter,
  nameOf: (record: CallRecord) => string,
): boolean {
  return (
    record.at >= range.from &&
    record.at < range.to &&
    (filter.server === undefined || record.server === filter.server) &&
    (filter.tool === undefined || nameOf(record) === filter.tool) &&
    (filter.outcome === undefined || record.outcome === filter.outcome) &&
    (filter.principal === undefined || record.principal === filter.principal) &&
    (filter.client === undefined || countedClient(record) === filter.client)
  );
}

/** The record without what was captured, as it is in lists. */
export function withoutCapture(record: CallRecord): CallRecord {
  if (record.capture === undefined) return record;
  const { capture: _, ...rest } = record;
  return rest;
}

function textOf(value: unknown, longest: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.length > longest ? value.slice(0, longest) : value;
  return toUSVString(text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text);
}

/** Whole numbers that fit 32 bits, as the columns have them. */
function integerOf(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Math.max(-0x8000_0000, Math.min(0x7fff_ffff, Math.trunc(value))) + 0;
}

function bytesOf(value: unknown): number {
  if (typeof value !== "number" || !(value >= 0)) return 0;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(value));
}

function durationOf(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 0) || value > 1e12) return undefined;
  return Math.round(value * 1000) / 1000;
}

function stepsOf(value: unknown): CallRecord["steps"] {
  const steps: { [Step in TimedStep]?: number } = {};
  if (typeof value !== "object" || value === null) return steps;
  for (const step of TIMED_STEPS) {
    const duration = durationOf((value as { readonly [S in TimedStep]?: unknown })[step]);
    if (duration !== undefined) steps[step] = duration;
  }
  return steps;
}

function captureOf(value: unknown): CallRecord["capture"] {
  if (typeof value !== "object" || value === null) return undefined;
  const { arguments: args, response } = value as { readonly arguments?: unknown; readonly response?: unknown };
  return { arguments: textOf(args, MOST_CAPTURED) ?? "", response: textOf(response, MOST_CAPTURED) ?? "" };
}
