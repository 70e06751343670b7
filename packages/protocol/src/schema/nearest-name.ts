import type { StepBudget } from "../linear-regexp/index.ts";

/** Names longer than this are not compared: nobody mistypes them, and comparing costs their product. */
const MAX_LENGTH = 40;
const MAX_CANDIDATES = 200;

/** How many letters can be compared in the time of a step. */
const LETTERS_PER_STEP = 8;

/**
 * The candidate that a mistyped name most likely stands for, if one is near. Case and separators do not count. A budget is
 * for names that others chose.
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

/** How many letters have to be added, dropped, changed or swapped with their neighbour (optimal string alignment). */
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
