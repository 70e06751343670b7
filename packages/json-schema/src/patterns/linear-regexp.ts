import { assemble, isDeterministic } from "./program.ts";
import { findFlags, parseRegExp, UnsupportedPattern } from "./parse.ts";
import { searchText } from "./simulate.ts";
import type { StepBudget } from "./step-budget.ts";
import { isAnchored, isBacktrackSafe } from "./tree.ts";

/** A regular expression that needs time in proportion to the text, whoever wrote it. */
export interface LinearRegExp {
  readonly source: string;
  /** Under which the platform's own engine takes the pattern. */
  readonly flags: string;
  /** How many steps the pattern has, repetitions written out: what it takes in memory. Classes of Unicode take more. */
  readonly size: number;
  /** Whether the platform's own, faster engine cannot be brought to a halt by this pattern either. */
  readonly isBacktrackSafe: boolean;
  /** Whether the pattern matches somewhere in the text. Throws `StepsExhausted` when that takes too many steps. */
  test(text: string, budget: StepBudget): boolean;
}

/** Nobody writes a longer one, and parsing costs time as well. */
const MAX_LENGTH = 5_000;

/** A class such as `\p{L}` has hundreds of ranges, and takes the platform as long to read as this many other steps. */
const SIZE_OF_UNICODE_CLASS = 100;

/**
 * Compiles a pattern for matching without backtracking. Captures are not recorded, so all of ECMA-262 is supported but
 * backreferences and inline modifiers. Each lookaround costs a pass over the text of its own.
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
