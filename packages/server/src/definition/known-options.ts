import { isObject } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/protocol";
import { findNearestName } from "@toolwire/protocol/schema";
import { expectOption } from "./expect-option.ts";

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
    // Names with "~" are this package's own: they are in what `prompt()` and `resource()` return.
    if (value === undefined || Object.hasOwn(names, name) || name.startsWith("~")) continue;
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
