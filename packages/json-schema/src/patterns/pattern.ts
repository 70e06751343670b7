import { findFlags, parseRegExp, UnsupportedPattern } from "./parse.ts";
import { assemble, isDeterministic } from "./program.ts";
import { searchText } from "./simulate.ts";
import { type StepBudget, StepsExhausted } from "./step-budget.ts";
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

/** A regular expression of a schema, ready to use. */
export interface Pattern {
  readonly source: string;
  /** The memory that the pattern takes, in small objects. */
  readonly size: number;
  /** Whether the platform's engine matches it, at about 1 ns per character. The linear engine takes about 100 ns. */
  readonly isNative: boolean;
  test(text: string, budget: StepBudget): boolean;
}

/** How many steps of a pattern the platform's engine keeps in the memory of one small object. */
const STEPS_PER_OBJECT = 10;

/** The most times that the platform's engine returns to a character: a bounded repetition can end in as many places. */
const MAX_TRIES = 1_000;
const TRIES_PER_STEP = 64;

/**
 * Compiles a pattern so that no text can make it hang. The platform's engine matches the patterns for which it takes linear
 * time for certain, the linear engine all others. Backreferences, which the linear engine does not support, are refused in
 * an untrusted schema and left to the platform in a trusted one.
 *
 * @throws Error that says what is wrong with the pattern
 */
export function compilePattern(source: string, isUntrusted: boolean): Pattern {
  let linear: LinearRegExp;
  try {
    linear = compileLinearRegExp(source);
  } catch (error) {
    if (isUntrusted) throw error;
    return useNative(source, findFlags(source), undefined);
  }
  const { size, flags } = linear;
  if (linear.isBacktrackSafe) return useNative(source, flags, size);
  return { source, size, isNative: false, test: (text, budget) => linear.test(text, budget) };
}

/** `linearSize` is the number of steps in the linear engine, or `undefined` if that does not support the pattern. */
function useNative(source: string, flags: string, linearSize: number | undefined): Pattern {
  const native = new RegExp(source, flags);
  const steps = linearSize ?? 1;
  return {
    source,
    size: Math.ceil(steps / STEPS_PER_OBJECT),
    isNative: true,
    test(text, budget) {
      const tries = Math.min(steps, text.length, MAX_TRIES);
      budget.spend((text.length + 1) * (1 + Math.floor(tries / TRIES_PER_STEP)));
      try {
        return native.test(text);
      } catch {
        // The platform's engine can run out of memory for backtracking in some megabytes of text. The linear engine needs none.
        if (linearSize === undefined) throw new StepsExhausted();
        return compileLinearRegExp(source).test(text, budget);
      }
    },
  };
}
