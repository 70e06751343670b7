import { UnsupportedPattern } from "./parse.ts";
import type { Assertion, CharacterTest, RegExpTree } from "./tree.ts";

/** One step of a matching program. Steps that name no successor go on with the next one. */
export type Instruction =
  | { readonly op: "character"; readonly test: CharacterTest }
  | { readonly op: "assert"; readonly assertion: Assertion }
  /** Goes on with the next step and, at the same time, elsewhere. */
  | { readonly op: "fork"; other: number }
  | { readonly op: "jump"; to: number }
  /** Goes on only if the program that starts with the next step matches from here (or does not, if `negated`). */
  | { readonly op: "look"; readonly behind: boolean; readonly negated: boolean; after: number }
  | { readonly op: "match" };

/** Repetitions with bounds are written out, and `(x{1000}){1000}` would be a million steps; this is where it ends. */
const MAX_INSTRUCTIONS = 10_000;

/** Translates a pattern into steps that can be simulated without backtracking (Thompson 1968, Pike's variant). */
export function assemble(tree: RegExpTree): readonly Instruction[] {
  const program: Instruction[] = [];
  emit(tree, false);
  push({ op: "match" });
  return program;

  function push<I extends Instruction>(instruction: I): I {
    if (program.push(instruction) > MAX_INSTRUCTIONS) {
      throw new UnsupportedPattern(`more than ${MAX_INSTRUCTIONS} characters and groups once repetitions are counted`);
    }
    return instruction;
  }

  /** What looks behind is matched from its end to its beginning. */
  function emit(node: RegExpTree, backward: boolean): void {
    switch (node.kind) {
      case "character":
        push({ op: "character", test: node.test });
        break;
      case "assert":
        push({ op: "assert", assertion: node.assertion });
        break;
      case "sequence":
        for (const part of backward ? node.parts.toReversed() : node.parts) emit(part, backward);
        break;
      case "choice":
        emitChoice(node.options, backward);
        break;
      case "repeat":
        emitRepeat(node.body, node.min, node.max, backward);
        break;
      case "look": {
        const look = push({ op: "look", behind: node.behind, negated: node.negated, after: 0 });
        emit(node.body, node.behind);
        push({ op: "match" });
        look.after = program.length;
      }
    }
  }

  function emitChoice(options: readonly RegExpTree[], backward: boolean): void {
    const ends = options.map((option, index) => {
      const isLast = index === options.length - 1;
      const fork = isLast ? undefined : push({ op: "fork", other: 0 });
      emit(option, backward);
      const end = isLast ? undefined : push({ op: "jump", to: 0 });
      if (fork) fork.other = program.length;
      return end;
    });
    for (const end of ends) if (end) end.to = program.length;
  }

  function emitRepeat(body: RegExpTree, min: number, max: number, backward: boolean): void {
    for (let count = 0; count < min; count++) {
      const before = program.length;
      emit(body, backward);
      // An empty body repeated a billion times is still empty.
      if (program.length === before) return;
    }
    if (max === Infinity) {
      const start = program.length;
      const fork = push({ op: "fork", other: 0 });
      emit(body, backward);
      push({ op: "jump", to: start });
      fork.other = program.length;
      return;
    }
    const forks = [];
    for (let count = min; count < max; count++) {
      forks.push(push({ op: "fork", other: 0 }));
      emit(body, backward);
    }
    for (const fork of forks) fork.other = program.length;
  }
}
