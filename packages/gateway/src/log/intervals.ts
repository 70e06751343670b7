import { UsageError } from "@toolwire/protocol";
import type { TimeRange } from "./call-log.ts";

const MOST_INTERVALS = 1000;

/** The beginnings of the intervals of a series, which are multiples of `step`. */
export function intervalsOf(range: TimeRange, step: number): readonly number[] {
  checkRange(range);
  if (!(Number.isSafeInteger(step) && step >= 1000)) {
    throw new UsageError("INVALID_ARGUMENT", `A series has steps of whole milliseconds, 1000 at least, not ${step}.`);
  }
  const first = Math.floor(range.from / step);
  const end = Math.ceil(range.to / step);
  if (end - first > MOST_INTERVALS) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `A series has at most ${MOST_INTERVALS} intervals, and this one would have ${end - first}: make the step longer.`,
    );
  }
  return Array.from({ length: range.from === range.to ? 0 : end - first }, (_, index) => (first + index) * step);
}

/** Refuses ranges that are not made of numbers, or end before they begin. */
export function checkRange(range: TimeRange): void {
  if (Number.isFinite(range.from) && Number.isFinite(range.to) && range.from <= range.to) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `A time range has the numbers \`from\` and \`to\`, milliseconds since 1970, in this order: got ${range.from} and ${range.to}.`,
  );
}
