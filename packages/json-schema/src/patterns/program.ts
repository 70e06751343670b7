import { UnsupportedPattern } from "./parse.ts";
import type { Assertion, CharacterPlace, RegExpTree } from "./tree.ts";
import { areOverlapping, unite, type CharacterSet } from "./characters.ts";

/** One step of a matching program. Steps that name no successor go on with the next one. */
export type Instruction =
  | ({ readonly op: "character" } & CharacterPlace)
  | { readonly op: "assert"; readonly assertion: Assertion }
  /** Goes on with the next step and, at the same time, elsewhere. */
  | { readonly op: "fork"; other: number }
  | { readonly op: "jump"; to: number }
  /** Goes on only where a lookaround matches (or does not, if `negated`). */
  | { readonly op: "look"; readonly look: Look; readonly negated: boolean }
  | { readonly op: "match" };

/** The inside of a lookaround: reading all of the text this way, it ends wherever the lookaround matches. */
export interface Look {
  readonly steps: readonly Instruction[];
  readonly backward: boolean;
}

/** A pattern as steps. */
export interface Program {
  readonly steps: readonly Instruction[];
  /** How many steps there are, those of lookarounds included. */
  readonly size: number;
}

/** Repetitions with bounds are written out, and `(x{1000}){1000}` would be a million steps; this is where it ends. */
const MAX_INSTRUCTIONS = 10_000;

/** Translates a pattern into steps that can be simulated without backtracking (Thompson 1968, Pike's variant). */
export function assemble(tree: RegExpTree): Program {
  /** A lookaround that is repeated is the same one each time. */
  const looks = new Map<RegExpTree, Look>();
  let size = 0;
  return { steps: write(tree, false), size };

  /** What is read backward is matched from its end to its beginning. */
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

  /** Looking ahead finds a beginning by its end, so it is read backward; looking behind is the other way round. */
  function findLook(node: RegExpTree, body: RegExpTree, behind: boolean): Look {
    let look = looks.get(node);
    if (look === undefined) {
      look = { steps: write(body, !behind), backward: !behind };
      looks.set(node, look);
    }
    return look;
  }
}

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
