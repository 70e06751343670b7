import { compileLinearRegExp, findFlags, type LinearRegExp, type StepBudget } from "../linear-regexp/index.ts";

/** A regular expression of a schema, ready to use. */
export interface Pattern {
  readonly source: string;
  /** What it takes in memory, in small objects. */
  readonly size: number;
  test(text: string, budget: StepBudget): boolean;
}

/** How many steps of a pattern the platform's engine keeps in the memory of one small object. */
const STEPS_PER_OBJECT = 10;

/** How often the platform's engine may come back to a character: a repetition with bounds can end in so many places. */
const MAX_TRIES = 1_000;
const TRIES_PER_STEP = 64;

/**
 * Compiles a pattern so that no text can make it hang: the platform's engine is used where it provably cannot, ours
 * everywhere else. What ours does not support (backreferences) is refused in an untrusted schema, and otherwise left to
 * the platform.
 *
 * @throws Error that says what is wrong with the pattern
 */
export function compilePattern(source: string, isUntrusted: boolean): Pattern {
  let linear: LinearRegExp;
  try {
    linear = compileLinearRegExp(source);
  } catch (error) {
    if (isUntrusted) throw error;
    return useNative(source, findFlags(source), 1);
  }
  return linear.isBacktrackSafe ? useNative(source, linear.flags, linear.size) : linear;
}

function useNative(source: string, flags: string, steps: number): Pattern {
  const native = new RegExp(source, flags);
  return {
    source,
    size: Math.ceil(steps / STEPS_PER_OBJECT),
    test(text, budget) {
      const tries = Math.min(steps, text.length, MAX_TRIES);
      budget.spend((text.length + 1) * (1 + Math.floor(tries / TRIES_PER_STEP)));
      return native.test(text);
    },
  };
}
