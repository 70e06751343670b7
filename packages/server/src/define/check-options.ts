/**
 * Checks of what options were given. The compiler sees to types, but not to numbers, and not for everybody; and a limit
 * that is `NaN`, or a hook that is none, would go unnoticed until it is missed.
 */
import { UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { findNearestName } from "@toolwire/protocol/schema";

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

/**
 * The names of all options of a kind, except those that there are only hints for. The compiler sees to it that none is
 * missing and none is made up.
 */
export type OptionNames<Options, Hints = {}> = { readonly [Name in Exclude<keyof Options, keyof Hints>]-?: true };

/** Names of other SDKs that people may try, each with a hint that says what to write instead. */
export type NameHints = { readonly [name: string]: string };

/**
 * Passes on options if they are an object with known names only. An option with a misspelt name would otherwise have no
 * effect, and nobody would notice that, for example, a limit is missing.
 *
 * @throws UsageError for anything else, with the name that was probably meant
 */
export function expectOptions<Options extends object>(
  taker: string,
  options: Options,
  names: OptionNames<Options>,
  hints?: NameHints,
): Options {
  expectOption(`options of ${taker}`, options, isObject(options), "an object");
  expectKnownNames(taker, options, names, hints);
  return options;
}

/**
 * Refuses members with unknown names. Those that are undefined do not count, and neither do those of class instances,
 * which may keep what they like.
 */
export function expectKnownNames(taker: string, given: object, names: object, hints: NameHints = {}): void {
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) return;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    throw new UsageError("INVALID_ARGUMENT", explainUnknown(taker, name, Object.keys(names), hints));
  }
}

/**
 * The same for a definition. It may repeat its name, as long as that is the name under which it is added.
 *
 * @throws UsageError as {@link expectKnownNames} does
 */
export function expectDefinitionNames(
  kind: "tool" | "prompt" | "resource",
  name: string,
  given: object,
  names: object,
  hints: NameHints,
): void {
  const repeats = (given as { readonly name?: unknown }).name === name;
  expectKnownNames(`${kind}()`, given, repeats ? { ...names, name: true } : names, hints);
}

function explainUnknown(taker: string, name: string, known: readonly string[], hints: NameHints): string {
  if (Object.hasOwn(hints, name)) return `${hints[name]}.`;
  const nearest = findNearestName(name, known);
  const help = nearest === undefined ? `It has ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
  return `${taker} has no option \`${name}\`. ${help}`;
}

/**
 * Says in error messages what kind of value was given: `a string`, `an array`, `a promise`, `a Map`. Never what is in it,
 * which may be long or secret.
 */
export function describeKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const kind = /^(?:Array|Object|Promise)$/.test(tag) ? tag.toLowerCase() : tag;
  return `${/^[aeio]/i.test(kind) ? "an" : "a"} ${kind}`;
}

/**
 * The same object without the members that are undefined, so that definitions can be built from optional values and
 * still look as they were meant to on transports that pass objects on.
 */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
