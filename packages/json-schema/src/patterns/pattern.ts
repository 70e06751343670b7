import { compileLinearRegExp, type LinearRegExp } from "./linear-regexp.ts";
import { findFlags } from "./parse.ts";
import { StepsExhausted, type StepBudget } from "./step-budget.ts";

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
  const { size, flags, isBacktrackSafe } = linear;
  if (isBacktrackSafe) return useNative(source, flags, size);
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
