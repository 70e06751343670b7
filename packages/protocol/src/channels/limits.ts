import { UsageError } from "../errors.ts";

/**
 * The limit to apply for an option: the given one if it makes sense, or the default. `Infinity` switches a limit off.
 * Throws for anything else, since a limit that compares false to everything, such as `NaN`, would be none.
 */
export function resolveLimit(option: string, value: number | undefined, fallback: number): number {
  return value === undefined ? fallback : expectWhole(option, value, 1);
}

/** Timers take 31 bits of milliseconds, and fire at once if given more. This leaves room to add to it. */
const LONGEST_MS = 2_000_000_000;

/**
 * The same for a time in milliseconds, which may also be 0 unless it must be longer. `Infinity` means for as long as a timer
 * can wait.
 */
export function resolveMilliseconds(option: string, value: number | undefined, fallback: number, least = 0): number {
  return value === undefined ? fallback : Math.min(expectWhole(option, value, least), LONGEST_MS);
}

function expectWhole(option: string, value: number, least: number): number {
  if (value === Infinity || (Number.isSafeInteger(value) && value >= least)) return value;
  throw new UsageError("INVALID_ARGUMENT", `${option} is ${value}, but must be a whole number of at least ${least}.`);
}
