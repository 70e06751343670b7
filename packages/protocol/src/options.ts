/**
 * Checks of options, in one vocabulary for all packages. The compiler checks types but not numbers, and JavaScript has
 * no compiler: a limit that is `NaN` compares false to everything and would limit nothing, and a misspelt option would
 * have no effect. Every check throws a `UsageError` that names the option, the values that are allowed and the value that was given.
 */

import { UsageError } from "./errors.ts";
import { isObject } from "./model/json.ts";
import { findNearestName } from "@toolwire/json-schema/internal";

/** The longest delay that timers support, in milliseconds. They fire at once if it is longer. */
export const LONGEST_TIMER = 0x7fff_ffff;

/** The most characters of a string that errors show. */
const LONGEST_SHOWN = 200;

/** Options that may hold credentials. Errors show only the kind of their values. */
const SECRETS: ReadonlySet<string> = new Set(["authenticate", "headers"]);

/** The error that refuses the value of an option. `expected` completes the sentence "must be …". */
export function invalidOption(name: string, value: unknown, expected: string): UsageError {
  // A name is quoted as code, a description such as "options of serveHttp" is not.
  const subject = /^[\w.[\]]+$/.test(name) ? `\`${name}\`` : name;
  const given = SECRETS.has(name) && typeof value === "string" ? "a string" : describeValue(value);
  return new UsageError("INVALID_ARGUMENT", `${subject} must be ${expected}; got ${given}.`);
}

/** Returns the value of an option if it fits. */
export function expectOption<T>(name: string, value: T, fits: boolean, expected: string): T {
  if (fits) return value;
  throw invalidOption(name, value, expected);
}

/** A number that has to be whole and at least `least`. */
export function expectCount(name: string, value: number, least = 1): number {
  return expectOption(name, value, isCount(value, least), `a whole number of at least ${least}`);
}

/** A limit: a whole number, or `Infinity` for no limit. Without a fallback, it has to be given. */
export function expectLimit(name: string, value: number | undefined, fallback?: number, least = 1): number {
  if (value === undefined && fallback !== undefined) return fallback;
  return expectOption(name, value!, isLimit(value, least), `a whole number of at least ${least}, or Infinity`);
}

/** A limit in bytes. */
export function expectBytes(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  return expectOption(name, value, isLimit(value, 1), "a whole number of bytes, at least 1, or Infinity");
}

/** A time for a timer, in milliseconds. `Infinity` becomes the longest time that a timer can wait. */
export function expectMilliseconds(name: string, value: number | undefined, fallback: number, least = 0): number {
  if (value === undefined) return fallback;
  const expected = `a whole number of milliseconds, at least ${least}, or Infinity`;
  return Math.min(expectOption(name, value, isLimit(value, least), expected), LONGEST_TIMER);
}

/** Whether a value is a time that a deadline can be computed from, in milliseconds; `Infinity` means no deadline. */
export function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** The error that refuses a time that is not a duration; see {@link isDuration}. */
export function invalidDuration(name: string, value: unknown): UsageError {
  return invalidOption(name, value, "a number of milliseconds, at least 0, or Infinity");
}

/** A time that a deadline can be computed from; see {@link isDuration}. */
export function expectDuration(name: string, value: unknown): number {
  if (isDuration(value)) return value;
  throw invalidDuration(name, value);
}

/** One of a few values. The first is the default. */
export function expectChoice<const T>(name: string, choices: readonly [T, ...T[]], value: T = choices[0]): T {
  return expectOption(name, value, choices.includes(value), listChoices(choices.map(describeValue)));
}

/** True or false. */
export function expectBoolean(name: string, value: boolean | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  return expectOption(name, value, typeof value === "boolean", "true or false");
}

/** Checks that those of the named members which are present are strings. */
export function expectTexts<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
): void {
  for (const name of names) {
    const value: unknown = options[name];
    if (value !== undefined) expectOption(name, value, typeof value === "string", "text");
  }
}

/** A function. */
export function expectFunction<T>(name: string, value: T): T {
  return expectOption(name, value, typeof value === "function", "a function");
}

/** An array of functions. */
export function expectFunctions<T>(name: string, list: readonly T[]): readonly T[] {
  const fits = Array.isArray(list) && list.every((item) => typeof item === "function");
  return expectOption(name, list, fits, "an array of functions");
}

/** A path on a server. */
export function expectPath(name: string, value: string): string {
  return expectOption(name, value, /^\/[^?#\s]*$/.test(value), 'a path such as "/mcp", without a query');
}

/**
 * The names of all options of a kind, except those for which there are only hints. The compiler checks that no name is
 * missing and none is made up.
 */
export type OptionNames<Options, Hints = {}> = { readonly [Name in Exclude<keyof Options, keyof Hints>]-?: true };

/** Names that other SDKs use, each with a hint that says what to write instead. */
export type NameHints = { readonly [name: string]: string };

/** Returns options if they are an object with known names only; see {@link expectKnownNames}. */
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
 * Refuses members with unknown names, and suggests the nearest known one. Members that are undefined are ignored, and so
 * are class instances, which may have members of their own. Names that begin with `~` are internal to our packages.
 */
export function expectKnownNames(taker: string, given: object, names: object, hints: NameHints = {}): void {
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) return;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(names, name) || name.startsWith("~")) continue;
    throw new UsageError("INVALID_ARGUMENT", explainUnknown(taker, name, Object.keys(names), hints));
  }
}

function explainUnknown(taker: string, name: string, known: readonly string[], hints: NameHints): string {
  if (Object.hasOwn(hints, name)) return `${hints[name]}.`;
  const nearest = findNearestName(name, known);
  const help = nearest === undefined ? `It has ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
  return `${taker} has no option \`${name}\`. ${help}`;
}

/**
 * Names the kind of a value for an error message: `a string`, `an array`, `a promise`, `a Map`. It never shows the
 * contents, which may be long or secret.
 */
export function describeKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const kind = /^(?:Array|Object|Promise)$/.test(tag) ? tag.toLowerCase() : tag;
  return `${/^[aeio]/i.test(kind) ? "an" : "a"} ${kind}`;
}

/**
 * Describes a value for an error message. It shows primitive values, long strings only in part, and objects by their
 * kind: their contents may be long or secret.
 */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return JSON.stringify(shorten(value));
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return String(value as number | boolean | bigint | symbol);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === "Object" ? "an object" : `an object (${kind})`;
}

function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function listChoices(choices: readonly string[]): string {
  return [choices.slice(0, -1).join(", "), ...choices.slice(-1)].filter((part) => part !== "").join(" or ");
}

function isLimit(value: unknown, least: number): boolean {
  return value === Infinity || isCount(value, least);
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}
