import { areOverlapping, unite, type CharacterSet } from "./character-sets.ts";
import type { Instruction } from "./program.ts";

/** How many steps may lie between two characters. */
const MAX_STEPS_BETWEEN = 64;

/** Honest patterns are shorter, and finding out about longer ones takes time as well. */
const MAX_SIZE = 1_000;

/**
 * Whether the next character always decides how a pattern goes on: wherever there is a choice, no two ways can take the same
 * character. When a backtracking engine goes back to such a choice, the other way fails at once. So it takes linear time for a
 * text, if it tries only one place to begin. `^[a-z]+(-[a-z]+)*$` is such a pattern, `^(a|ab)*$` is not. Errs on the side of
 * "no".
 */
export function isDeterministic(steps: readonly Instruction[]): boolean {
  if (steps.length > MAX_SIZE || !isDecidedAt(0, steps)) return false;
  return steps.every((step, index) => step.op !== "character" || isDecidedAt(index + 1, steps));
}

/** Follows all ways from a step to the next characters. Two ways to the same one count as a choice, too. */
function isDecidedAt(start: number, steps: readonly Instruction[]): boolean {
  let taken: CharacterSet = { ascii: 0n, hasOthers: false };
  const pending = [start];
  for (let followed = 0; followed < MAX_STEPS_BETWEEN; followed++) {
    const index = pending.pop();
    if (index === undefined) return true;
    const step = steps[index];
    switch (step?.op) {
      case "character":
        if (areOverlapping(taken, step.set)) return false;
        taken = unite(taken, step.set);
        break;
      case "fork":
        pending.push(step.other, index + 1);
        break;
      case "jump":
        pending.push(step.to);
        break;
      case "assert":
        pending.push(index + 1);
        break;
      case "look":
        return false;
      default:
    }
  }
  return false;
}
