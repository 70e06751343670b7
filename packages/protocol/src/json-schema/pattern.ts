import { compileLinearRegExp, findFlags, type LinearRegExp, type StepBudget } from "../linear-regexp/index.ts";

/** A regular expression of a schema, ready to use. */
export interface Pattern {
  readonly source: string;
  /** What it takes in memory, in small objects. */
  readonly size: number;
  test(text: string, budget: StepBudget): boolean;
}

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
    return useNative(source, findFlags(source));
  }
  return linear.isBacktrackSafe ? useNative(source, linear.flags) : linear;
}

function useNative(source: string, flags: string): Pattern {
  const native = new RegExp(source, flags);
  return {
    source,
    size: 1,
    test(text, budget) {
      budget.spend(text.length + 1);
      return native.test(text);
    },
  };
}
