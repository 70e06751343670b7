import type { StepBudget } from "../patterns/step-budget.ts";

const MAX_SHOWN = 60;
const MAX_SHOWN_NAME = 20;
const MAX_LISTED = 10;

/** Shows a value in a message, in a few words whatever its size. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(shorten(value));
    case "number":
    case "boolean":
    case "bigint":
    case "undefined":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return `an array of ${countThings(value.length, "item", "items")}`;
      return showObject(value);
    default:
      return `a ${typeof value}`;
  }
}

function showObject(value: object): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, 3).map((key) => shorten(key, MAX_SHOWN_NAME));
  return `an object with ${shown.join(", ")}${keys.length > shown.length ? ", …" : ""}`;
}

/** Cuts a text that is too long for a message. */
export function shorten(text: string, length: number = MAX_SHOWN): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Counts things: `1 item`, `3 items`. */
export function countThings(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Names the type of a value as JSON Schema does. */
export function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Lists alternatives: `a, b or c`, and no more than a reader can take in. */
export function listAlternatives<T>(alternatives: readonly T[], show: (alternative: T) => string = String): string {
  const shown = alternatives.slice(0, MAX_LISTED).map(show);
  const hidden = alternatives.length - shown.length;
  const last = hidden > 0 ? `one of ${hidden} others` : (shown.pop() ?? "nothing");
  return shown.length > 0 ? `${shown.join(", ")} or ${last}` : last;
}

/** Longest names to compare: comparing takes the product of their lengths. */
const MAX_LENGTH = 40;
const MAX_CANDIDATES = 200;

/** How many letters can be compared in the time of a step. */
const LETTERS_PER_STEP = 8;

/**
 * Finds the candidate that a mistyped name most likely means, if one is near. Case and separators do not count. Pass a budget
 * for names that somebody else chose.
 */
export function findNearestName(name: string, candidates: readonly string[], budget?: StepBudget): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = fold(name);
  let nearest: string | undefined;
  let shortest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    if (candidate.length > MAX_LENGTH) continue;
    budget?.spend(Math.ceil((wanted.length * candidate.length) / LETTERS_PER_STEP));
    const distance = measureDistance(wanted, fold(candidate));
    if (distance < shortest) {
      shortest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]/g, "");
}

/** The number of letters to add, drop, change or swap with their neighbour (optimal string alignment distance). */
function measureDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
