import type { CharacterSet } from "./characters.ts";

/** Whether a pattern allows this code point in some place. */
export type CharacterTest = (codePoint: number) => boolean;

/** A place in a pattern that matches one character. */
export interface CharacterPlace {
  readonly test: CharacterTest;
  /** All characters for which the test may return true, and perhaps others. */
  readonly set: CharacterSet;
}

/** A pattern, parsed. */
export type RegExpTree =
  | ({ readonly kind: "character" } & CharacterPlace)
  | { readonly kind: "sequence"; readonly parts: readonly RegExpTree[] }
  | { readonly kind: "choice"; readonly options: readonly RegExpTree[] }
  | { readonly kind: "repeat"; readonly body: RegExpTree; readonly min: number; readonly max: number }
  | { readonly kind: "assert"; readonly assertion: Assertion }
  | { readonly kind: "look"; readonly body: RegExpTree; readonly behind: boolean; readonly negated: boolean };

/** A condition on a position that consumes no character. */
export type Assertion = "start" | "end" | "boundary" | "no-boundary";

/** Whether the pattern can match only at the start of the text, so that no other position has to be tried. */
export function isAnchored(tree: RegExpTree): boolean {
  switch (tree.kind) {
    case "assert":
      return tree.assertion === "start";
    case "sequence":
      return tree.parts[0] !== undefined && isAnchored(tree.parts[0]);
    case "choice":
      return tree.options.every(isAnchored);
    default:
      return false;
  }
}

/** The most ways to match one text that a backtracking engine may have to try. */
const MAX_WAYS = 1_000;

/** The most steps of all ways together, if they are tried again at every character. */
const MAX_STEPS_PER_CHARACTER = 128;

/**
 * Whether a backtracking engine certainly matches this pattern in linear time: it has at most one unbounded repetition, tried
 * from one position only, and nothing inside a repetition can match in several ways. Says "no" in case of doubt. `size` is the
 * number of steps of the pattern with repetitions written out.
 */
export function isBacktrackSafe(tree: RegExpTree, size: number): boolean {
  const { ways, loops } = countWays(tree);
  if (loops === 0 && isAnchored(tree)) return ways <= MAX_WAYS;
  return ways * size <= MAX_STEPS_PER_CHARACTER && (loops === 0 || (loops === 1 && isAnchored(tree)));
}

interface Ways {
  readonly ways: number;
  readonly loops: number;
}

const ONE_WAY: Ways = { ways: 1, loops: 0 };

function countWays(tree: RegExpTree): Ways {
  switch (tree.kind) {
    case "character":
    case "assert":
      return ONE_WAY;
    case "look":
      return { ways: Infinity, loops: 0 };
    case "sequence":
      return tree.parts.map(countWays).reduce((a, b) => ({ ways: a.ways * b.ways, loops: a.loops + b.loops }), ONE_WAY);
    case "choice":
      return tree.options
        .map(countWays)
        .reduce((a, b) => ({ ways: a.ways + b.ways, loops: a.loops + b.loops }), { ways: 0, loops: 0 });
    default: {
      const body = countWays(tree.body);
      if (tree.max > 1 && (body.ways > 1 || body.loops > 0)) return { ways: Infinity, loops: 0 };
      if (tree.max === Infinity) return { ways: 1, loops: 1 };
      return { ways: body.ways * (tree.max - tree.min + 1), loops: body.loops };
    }
  }
}
