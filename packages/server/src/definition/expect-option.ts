/**
 * Checks of what options were given. The compiler sees to types, but not to numbers, and not for everybody; and a limit
 * that is `NaN`, or a hook that is none, would go unnoticed until it is missed.
 */
import { UsageError } from "@toolwire/protocol";

/** Passes on the value of an option. Throws a `UsageError` if it does not fit, saying what would. */
export function expectOption<T>(name: string, value: T, fits: boolean, expected: string): T {
  if (fits) return value;
  throw new UsageError("INVALID_ARGUMENT", `${name} is ${show(value)}, but must be ${expected}.`);
}

function show(value: unknown): string {
  try {
    return typeof value === "number" ? `${value}` : (JSON.stringify(value) ?? typeof value);
  } catch {
    // A big integer, or an object that leads back to itself, as frameworks have them.
    return typeof value;
  }
}

/** A number that has to be whole and at least so much. */
export function expectCount(name: string, value: number, least = 1): number {
  const fits = Number.isSafeInteger(value) && value >= least;
  return expectOption(name, value, fits, `a whole number of at least ${least}`);
}

/** The same for what bounds something: `Infinity` switches it off. */
export function expectLimit(name: string, value: number, least = 1): number {
  return value === Infinity ? value : expectCount(name, value, least);
}

/** One of a few values, the first unless given. */
export function expectChoice<const T>(name: string, choices: readonly [T, ...T[]], value: T = choices[0]): T {
  return expectOption(name, value, choices.includes(value), choices.map(show).join(" or "));
}

/** True or false. */
export function expectBoolean(name: string, value: boolean | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  return expectOption(name, value, typeof value === "boolean", "true or false");
}

/** Options among which there may be texts. */
export function expectTexts(options: object): void {
  for (const [name, value = ""] of Object.entries(options)) {
    const isText = /^(title|description|websiteUrl|instructions|mimeType)$/.test(name);
    if (isText) expectOption(name, value, typeof value === "string", "text");
  }
}

/** A function. */
export function expectFunction<T>(name: string, value: T): T {
  return expectOption(name, value, typeof value === "function", "a function");
}

/** A list of functions. */
export function expectFunctions<T>(name: string, list: readonly T[]): readonly T[] {
  const fits = Array.isArray(list) && list.every((each) => typeof each === "function");
  return expectOption(name, list, fits, "a list of functions");
}

/** A path on a server. */
export function expectPath(name: string, value: string): string {
  return expectOption(name, value, /^\/[^?#\s]*$/.test(value), 'a path such as "/mcp", without a query');
}
