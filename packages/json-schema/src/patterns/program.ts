import { areOverlapping, unite, type CharacterSet } from "./characters.ts";
import { UnsupportedPattern } from "./parse.ts";
import type { Assertion, CharacterPlace, RegExpTree } from "./tree.ts";

/** One step of a matching program. A step that names no successor continues with the next one. */
export type Instruction =
  | ({ readonly op: "character" } & CharacterPlace)
  | { readonly op: "assert"; readonly assertion: Assertion }
  /** Continues with the next step and with another one at the same time. */
  | { readonly op: "fork"; other: number }
  | { readonly op: "jump"; to: number }
  /** Continues only where a lookaround matches (or does not, if `negated`). */
  | { readonly op: "look"; readonly look: Look; readonly negated: boolean }
  | { readonly op: "match" };

/** The inside of a lookaround. Run over all of the text in this direction, it ends wherever the lookaround matches. */
export interface Look {
  readonly steps: readonly Instruction[];
  readonly backward: boolean;
}

/** A pattern as steps. */
export interface Program {
  readonly steps: readonly Instruction[];
  /** The number of steps, including those of lookarounds. */
  readonly size: number;
}

/** Most steps of a pattern. Bounded repetitions are written out, so `(x{1000}){1000}` would have a million. */
const MAX_INSTRUCTIONS = 10_000;

/** Translates a pattern into steps that can be simulated without backtracking (Thompson 1968, Pike's variant). */
export function assemble(tree: RegExpTree): Program {
  /** Shares one program between the repetitions of a lookaround. */
  const looks = new Map<RegExpTree, Look>();
  let size = 0;
  return { steps: write(tree, false), size };

  /** Writes the steps of a pattern. A program that runs backward matches its parts in reverse order. */
  function write(root: RegExpTree, backward: boolean): readonly Instruction[] {
    const steps: Instruction[] = [];
    emit(root);
    push({ op: "match" });
    return steps;

    function push<I extends Instruction>(instruction: I): I {
      if (++size > MAX_INSTRUCTIONS) {
        throw new UnsupportedPattern(
          `more than ${MAX_INSTRUCTIONS} characters and groups once repetitions are counted`,
        );
      }
      steps.push(instruction);
      return instruction;
    }

    function emit(node: RegExpTree): void {
      switch (node.kind) {
        case "character":
          push({ op: "character", test: node.test, set: node.set });
          break;
        case "assert":
          push({ op: "assert", assertion: node.assertion });
          break;
        case "sequence":
          for (const part of backward ? node.parts.toReversed() : node.parts) emit(part);
          break;
        case "choice":
          emitChoice(node.options);
          break;
        case "repeat":
          emitRepeat(node.body, node.min, node.max);
          break;
        case "look":
          push({ op: "look", look: findLook(node, node.body, node.behind), negated: node.negated });
      }
    }

    function emitChoice(options: readonly RegExpTree[]): void {
      const ends = options.map((option, index) => {
        const isLast = index === options.length - 1;
        const fork = isLast ? undefined : push({ op: "fork", other: 0 });
        emit(option);
        const end = isLast ? undefined : push({ op: "jump", to: 0 });
        if (fork) fork.other = steps.length;
        return end;
      });
      for (const end of ends) if (end) end.to = steps.length;
    }

    function emitRepeat(body: RegExpTree, min: number, max: number): void {
      for (let count = 0; count < min; count++) {
        const before = steps.length;
        emit(body);
        // An empty body repeated a billion times is still empty.
        if (steps.length === before) return;
      }
      if (max === Infinity) {
        const start = steps.length;
        const fork = push({ op: "fork", other: 0 });
        emit(body);
        push({ op: "jump", to: start });
        fork.other = steps.length;
        return;
      }
      const forks = [];
      for (let count = min; count < max; count++) {
        forks.push(push({ op: "fork", other: 0 }));
        emit(body);
      }
      for (const fork of forks) fork.other = steps.length;
    }
  }

  /** A lookahead is run backward, because it matches where its text begins; a lookbehind is run forward. */
  function findLook(node: RegExpTree, body: RegExpTree, behind: boolean): Look {
    let look = looks.get(node);
    if (look === undefined) {
      look = { steps: write(body, !behind), backward: !behind };
      looks.set(node, look);
    }
    return look;
  }
}

/** Most steps to follow between two characters. */
const MAX_STEPS_BETWEEN = 64;

/** Longest program to analyse: the analysis takes time as well. */
const MAX_SIZE = 1_000;

/**
 * Whether the next character always decides how a pattern continues: wherever there is a choice, no two branches can match the
 * same character. When a backtracking engine returns to such a choice, the other branch fails at once, so the engine takes
 * linear time if it tries only one start position. `^[a-z]+(-[a-z]+)*$` is such a pattern, `^(a|ab)*$` is not. Returns
 * `false` in case of doubt.
 */
export function isDeterministic(steps: readonly Instruction[]): boolean {
  if (steps.length > MAX_SIZE || !isDecidedAt(0, steps)) return false;
  return steps.every((step, index) => step.op !== "character" || isDecidedAt(index + 1, steps));
}

/** Follows all branches from a step to the next characters. Two branches to the same character count as a choice, too. */
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
