import { assemble, isDeterministic } from "./program.ts";
import { findFlags, parseRegExp, UnsupportedPattern } from "./parse.ts";
import { searchText } from "./simulate.ts";
import type { StepBudget } from "./step-budget.ts";
import { isAnchored, isBacktrackSafe } from "./tree.ts";

/** A regular expression that is matched in time proportional to the text. */
export interface LinearRegExp {
  readonly source: string;
  /** The flags under which the platform's engine accepts the pattern. */
  readonly flags: string;
  /** The number of steps with repetitions written out, as a measure of memory. Unicode classes count for more. */
  readonly size: number;
  /** Whether the platform's faster engine matches this pattern in linear time, too. */
  readonly isBacktrackSafe: boolean;
  /** Whether the pattern matches somewhere in the text. Throws `StepsExhausted` when that takes too many steps. */
  test(text: string, budget: StepBudget): boolean;
}

/** Longest pattern: parsing takes time as well, and honest patterns are shorter. */
const MAX_LENGTH = 5_000;

/** A class such as `\p{L}` has hundreds of ranges, and takes the platform as long to read as this many other steps. */
const SIZE_OF_UNICODE_CLASS = 100;

/**
 * Compiles a pattern for matching without backtracking. It supports all of ECMA-262 except
 * backreferences and inline modifiers, because it records no captures. Each lookaround costs one more pass over the text.
 *
 * @throws UnsupportedPattern
 */
export function compileLinearRegExp(source: string): LinearRegExp {
  if (source.length > MAX_LENGTH) throw new UnsupportedPattern(`longer than ${MAX_LENGTH} characters`);
  const flags = findFlags(source);
  const tree = parseRegExp(source, flags);
  const program = assemble(tree);
  const anchored = isAnchored(tree);
  return {
    source,
    flags,
    size: program.size + SIZE_OF_UNICODE_CLASS * (source.match(/\\p\{/gi)?.length ?? 0),
    isBacktrackSafe: isBacktrackSafe(tree, program.size) || (anchored && isDeterministic(program.steps)),
    test: (text, budget) => searchText(program, text, anchored, budget),
  };
}
