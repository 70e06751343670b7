/** Milliseconds by unit. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** Describes how durations are written, for messages. */
export const DURATION_FORM = "a number and a unit, such as 500ms, 30s, 5m, 12h or 30d";

/**
 * Reads a duration: a number of milliseconds, or text such as `30s` or `30d`.
 *
 * @returns milliseconds, or `undefined` if it is none
 */
export function readDuration(value: number | string): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(value);
  if (match === null) return undefined;
  return Math.round(Number(match[1]) * (UNITS.get(match[2] ?? "") ?? 0));
}
