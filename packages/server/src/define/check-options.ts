/**
 * Checks of options. The compiler checks types, but not the range of numbers, and not for users of JavaScript. A limit of
 * `NaN`, or a hook that is not a function, would otherwise go unnoticed.
 */
import { UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { findNearestName } from "@toolwire/protocol/schema";

/** Returns the value of an option. Throws a `UsageError` that says what is expected if it does not fit. */
export function expectOption<T>(name: string, value: T, fits: boolean, expected: string): T {
  if (fits) return value;
  throw new UsageError("INVALID_ARGUMENT", `${name} is ${show(value)}, but must be ${expected}.`);
}

function show(value: unknown): string {
  try {
    return typeof value === "number" ? `${value}` : (JSON.stringify(value) ?? typeof value);
  } catch {
    // A `bigint`, or an object that contains itself.
    return typeof value;
  }
}

/** Returns a whole number of at least `least`. */
export function expectCount(name: string, value: number, least = 1): number {
  const fits = Number.isSafeInteger(value) && value >= least;
  return expectOption(name, value, fits, `a whole number of at least ${least}`);
}

/** Returns a limit: a whole number of at least `least`, or `Infinity`, which turns the limit off. */
export function expectLimit(name: string, value: number, least = 1): number {
  return value === Infinity ? value : expectCount(name, value, least);
}

/** Returns one of a few values. The first is the default. */
export function expectChoice<const T>(name: string, choices: readonly [T, ...T[]], value: T = choices[0]): T {
  return expectOption(name, value, choices.includes(value), choices.map(show).join(" or "));
}

/** Returns a boolean option, or its default. */
export function expectBoolean(name: string, value: boolean | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  return expectOption(name, value, typeof value === "boolean", "true or false");
}

const TEXT_OPTIONS: readonly string[] = ["title", "description", "websiteUrl", "instructions", "mimeType"];

/** Checks the options that are texts for people or models. */
export function expectTexts(options: object): void {
  for (const [name, value = ""] of Object.entries(options)) {
    if (TEXT_OPTIONS.includes(name)) expectOption(name, value, typeof value === "string", "text");
  }
}

/** Returns a function. */
export function expectFunction<T>(name: string, value: T): T {
  return expectOption(name, value, typeof value === "function", "a function");
}

/** Returns a list of functions. */
export function expectFunctions<T>(name: string, list: readonly T[]): readonly T[] {
  const fits = Array.isArray(list) && list.every((each) => typeof each === "function");
  return expectOption(name, list, fits, "a list of functions");
}

/** Returns a path on a server. */
export function expectPath(name: string, value: string): string {
  return expectOption(name, value, /^\/[^?#\s]*$/.test(value), 'a path such as "/mcp", without a query');
}

/**
 * The names of all options of a kind, except names of other SDKs that only have hints. The compiler checks that the list is
 * complete.
 */
export type OptionNames<Options, Hints = {}> = { readonly [Name in Exclude<keyof Options, keyof Hints>]-?: true };

/** Names of other SDKs that people may try, each with a hint about the name to write instead. */
export type NameHints = { readonly [name: string]: string };

/**
 * Returns options if they are an object with known names only. An option with a misspelt name, such as a limit, would
 * otherwise silently have no effect.
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
 * Refuses members with unknown names. Undefined members do not count. Class instances are not checked: they may have
 * members of their own.
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
 * Refuses members of a definition with unknown names. A definition may repeat the name under which it is added.
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
 * Names the kind of a value for error messages: `a string`, `an array`, `a promise`, `a Map`. The value itself is not
 * shown, because it may be long or secret.
 */
export function describeKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const kind = /^(?:Array|Object|Promise)$/.test(tag) ? tag.toLowerCase() : tag;
  return `${/^[aeio]/i.test(kind) ? "an" : "a"} ${kind}`;
}

/**
 * A copy of an object without its undefined members. Transports that pass objects by reference would otherwise show
 * them.
 */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
