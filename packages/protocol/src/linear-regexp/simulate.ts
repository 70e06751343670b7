import type { Instruction } from "./program.ts";
import type { StepBudget } from "./step-budget.ts";
import type { Assertion } from "./tree.ts";

/** Where a simulation starts, and which way it reads. */
interface Start {
  readonly instruction: number;
  readonly position: number;
  readonly backward: boolean;
  /** Whether a match may begin at any later position as well. */
  readonly roams: boolean;
}

/**
 * Whether the program matches somewhere in the text. All ways of matching advance together, character by character, and
 * no step is taken twice at one position: the work is at most the length of the program times that of the text.
 */
export function searchText(
  program: readonly Instruction[],
  text: string,
  isAnchored: boolean,
  budget: StepBudget,
): boolean {
  return simulate(program, text, { instruction: 0, position: 0, backward: false, roams: !isAnchored }, budget);
}

function simulate(program: readonly Instruction[], text: string, start: Start, budget: StepBudget): boolean {
  /** For each instruction, the last position at which it was reached. */
  const reached = new Int32Array(program.length).fill(-1);
  const pending: number[] = [];
  let waiting: number[] = [];
  let advanced: number[] = [];
  let { position } = start;

  budget.spend(program.length);
  if (follow(start.instruction)) return true;
  for (;;) {
    [waiting, advanced] = [advanced, waiting];
    advanced.length = 0;
    const codePoint = (start.backward ? codePointBefore(text, position) : text.codePointAt(position)) ?? -1;
    if (codePoint < 0 || (waiting.length === 0 && !start.roams)) return false;
    const width = codePoint > 0xffff ? 2 : 1;
    position += start.backward ? -width : width;
    budget.spend(waiting.length + 1);
    for (const index of waiting) {
      const instruction = program[index];
      if (instruction?.op === "character" && instruction.test(codePoint) && follow(index + 1)) return true;
    }
    if (start.roams && follow(start.instruction)) return true;
  }

  /** Follows everything that consumes no character; what remains waits for the next one. True if a match is reached. */
  function follow(from: number): boolean {
    pending.push(from);
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (reached[index] === position) continue;
      reached[index] = position;
      budget.spend(1);
      const instruction = program[index];
      switch (instruction?.op) {
        case "match":
          return true;
        case "character":
          advanced.push(index);
          break;
        case "fork":
          pending.push(instruction.other, index + 1);
          break;
        case "jump":
          pending.push(instruction.to);
          break;
        case "assert":
          if (holds(instruction.assertion, text, position)) pending.push(index + 1);
          break;
        case "look": {
          const seen = { instruction: index + 1, position, backward: instruction.behind, roams: false };
          if (simulate(program, text, seen, budget) !== instruction.negated) pending.push(instruction.after);
          break;
        }
        case undefined:
      }
    }
    return false;
  }
}

function holds(assertion: Assertion, text: string, position: number): boolean {
  switch (assertion) {
    case "start":
      return position === 0;
    case "end":
      return position === text.length;
    case "boundary":
      return isWord(text, position - 1) !== isWord(text, position);
    default:
      return isWord(text, position - 1) === isWord(text, position);
  }
}

function isWord(text: string, position: number): boolean {
  return /^\w$/.test(text.charAt(position));
}

function codePointBefore(text: string, position: number): number | undefined {
  const pair = position > 1 ? text.codePointAt(position - 2) : undefined;
  return pair !== undefined && pair > 0xffff ? pair : text.codePointAt(position - 1);
}
