import type { TimeRange } from "../call-log.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** A part of a time range, and the table that answers for it at the least cost. */
export interface CoverPart extends TimeRange {
  readonly by: "hour" | "minute" | "call";
}

/**
 * Divides a range into parts: whole hours are read from the rollups by the hour, whole minutes from those by the minute,
 * and single calls at its ends only. Minutes before `minutesFrom` are gone. For a series, a rollup is of
 * use only if each of its rows belongs to one interval of `step` milliseconds.
 */
export function coverRange(range: TimeRange, minutesFrom: number, step: number = HOUR): readonly CoverPart[] {
  const canUseHours = step % HOUR === 0;
  const canUseMinutes = step % MINUTE === 0;
  const hours = canUseHours ? wholeUnits(range, HOUR) : undefined;
  const rests = hours === undefined ? [range] : [before(range, hours), after(range, hours)];
  const parts: CoverPart[] = hours === undefined ? [] : [{ ...hours, by: "hour" }];
  for (const rest of rests) {
    const recent = { from: Math.max(rest.from, Math.min(minutesFrom, rest.to)), to: rest.to };
    const minutes = canUseMinutes ? wholeUnits(recent, MINUTE) : undefined;
    if (minutes === undefined) {
      parts.push({ ...rest, by: "call" });
    } else {
      parts.push({ ...minutes, by: "minute" });
      parts.push({ ...before(rest, minutes), by: "call" }, { ...after(rest, minutes), by: "call" });
    }
  }
  return parts.filter(({ from, to }) => from < to);
}

function wholeUnits(range: TimeRange, unit: number): TimeRange | undefined {
  const from = Math.ceil(range.from / unit) * unit;
  const to = Math.floor(range.to / unit) * unit;
  return from < to ? { from, to } : undefined;
}

function before(range: TimeRange, part: TimeRange): TimeRange {
  return { from: range.from, to: part.from };
}

function after(range: TimeRange, part: TimeRange): TimeRange {
  return { from: part.to, to: range.to };
}
