import { UsageError } from "../errors.ts";

/**
 * The limit to apply for an option: the given one if it makes sense, or the default. `Infinity` switches a limit off.
 * Throws for anything else, since a limit that compares false to everything, such as `NaN`, would be none.
 */
export function resolveLimit(option: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && value >= 1) return value;
  throw new UsageError("INVALID_ARGUMENT", `${option} is ${value}, but must be a number of at least 1.`);
}

/** Timers take 31 bits of milliseconds, and fire at once if given more. This leaves room to add to it. */
const LONGEST_MS = 2_000_000_000;

/** The same for a time in milliseconds, which may also be 0. `Infinity` means for as long as a timer can wait. */
export function resolveMilliseconds(option: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && value >= 0) return Math.min(value, LONGEST_MS);
  throw new UsageError("INVALID_ARGUMENT", `${option} is ${value}, but must be a number of milliseconds.`);
}
