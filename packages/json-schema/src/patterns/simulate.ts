import type { Instruction, Look, Program } from "./program.ts";
import type { StepBudget } from "./step-budget.ts";
import type { Assertion } from "./tree.ts";

/** The direction of a simulation, and whether a match may begin anywhere or only where the simulation starts. */
interface Reading {
  readonly backward: boolean;
  readonly roams: boolean;
}

/**
 * Whether the program matches somewhere in the text. All branches advance together, character by character, and no step is
 * taken twice at one position, so the work is at most the length of the program times that of the text.
 *
 * Lookarounds do not change that bound: one more pass finds all positions at which a lookaround matches.
 */
export function searchText(program: Program, text: string, isAnchored: boolean, budget: StepBudget): boolean {
  const places = new Map<Look, Uint8Array>();
  return simulate(program.steps, { backward: false, roams: !isAnchored }, undefined);

  /** The positions at which a lookaround matches. */
  function findPlaces(look: Look): Uint8Array {
    let found = places.get(look);
    if (found === undefined) {
      budget.spend(text.length);
      found = new Uint8Array(text.length + 1);
      simulate(look.steps, { backward: look.backward, roams: true }, found);
      places.set(look, found);
    }
    return found;
  }

  /** Returns true at the first match. With `ends`, marks there where each match ends, and returns false. */
  function simulate(
    steps: readonly Instruction[],
    { backward, roams }: Reading,
    ends: Uint8Array | undefined,
  ): boolean {
    /** For each instruction, the last position at which it was reached. */
    const reached = new Int32Array(steps.length).fill(-1);
    const pending: number[] = [];
    let waiting: number[] = [];
    let advanced: number[] = [];
    let position = backward ? text.length : 0;

    budget.spend(steps.length);
    if (follow(0)) return true;
    for (;;) {
      [waiting, advanced] = [advanced, waiting];
      advanced.length = 0;
      const codePoint = (backward ? codePointBefore(text, position) : text.codePointAt(position)) ?? -1;
      if (codePoint < 0 || (waiting.length === 0 && !roams)) return false;
      const width = codePoint > 0xffff ? 2 : 1;
      position += backward ? -width : width;
      budget.spend(waiting.length + 1);
      for (const index of waiting) {
        const instruction = steps[index];
        if (instruction?.op === "character" && instruction.test(codePoint) && follow(index + 1)) return true;
      }
      if (roams && follow(0)) return true;
    }

    /** Follows the steps that consume no character, and queues those that do. Returns true to stop. */
    function follow(from: number): boolean {
      pending.push(from);
      for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
        if (reached[index] === position) continue;
        reached[index] = position;
        budget.spend(1);
        const instruction = steps[index];
        switch (instruction?.op) {
          case "match":
            if (ends === undefined) return true;
            ends[position] = 1;
            break;
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
            const isMatch = findPlaces(instruction.look)[position] === 1;
            if (isMatch !== instruction.negated) pending.push(index + 1);
            break;
          }
          case undefined:
        }
      }
      return false;
    }
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
