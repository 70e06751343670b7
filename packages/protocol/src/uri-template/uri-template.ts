/** URI templates, all of RFC 6570 (level 4), in both directions. */

import { expandParts, type UriTemplateValue } from "./expand.ts";
import { compileMatcher, type Matcher, type UriTemplateMatchValue } from "./match.ts";
import { parseParts } from "./syntax.ts";

/** A parsed template such as `file:///{+path}` or `search://{index}{?q,tags*}`. */
export interface UriTemplate {
  /** The template as it was written. */
  readonly text: string;
  /** The names of its variables, each once, in order. */
  readonly variables: readonly string[];

  /**
   * The URI for these values. Variables that are absent, null, undefined or empty lists or objects are left out.
   * Throws a `UsageError` for a value that its variable cannot take.
   */
  expand(values: Readonly<Record<string, UriTemplateValue>>): string;

  /**
   * The values in a URI, percent-decoded, or undefined if it does not match. Takes time linear in the URI, which may
   * have 8,192 characters.
   *
   * - A variable gives a string. Only an exploded one (`*`) gives a list, or an object if all its items are
   *   `key=value` with a key other than its own name. So `{ids}` gives `"1,2"` for `1,2`, where `{ids*}` gives a list.
   * - In `{a}` and `{+a}` every variable is there and not empty. With other operators it may be absent.
   * - Parameters of `{?a,b}`, `{&a,b}` and `{;a,b}` may come in any order. Unknown ones do not match, nor do
   *   repeated ones, unless an exploded variable takes them.
   * - Where several readings are possible, as few variables as possible are absent; then each takes as much as it
   *   can, the first one first. So `{name}{.extension}` reads `a.tar.gz` as `a.tar` and `gz`.
   * - A variable that occurs twice must not have two values. `{a:3}` takes at most three characters.
   * - Reserved and non-ASCII characters that expansion would have encoded are accepted where they delimit nothing.
   *
   * It reverses `expand` for non-empty strings, and for non-empty lists and objects of these in exploded variables,
   * if all variables of `{a,b}` and `{+a,b}` are given, those of other operators from the left on, and if no value
   * holds, not percent-encoded, what follows it in the template: `{a}/{b}` and `{a}{/b}` are never ambiguous, `{a}-{b}`
   * is if `a` holds a hyphen, `{a}{b}` always. A string in `{+a}` or `{#a}` must not hold a percent-encoded triplet.
   */
  match(uri: string): Record<string, UriTemplateMatchValue> | undefined;
}

/** Parses a URI template. Throws a `UsageError` with the position of the first mistake if RFC 6570 does not allow it. */
export function parseUriTemplate(text: string): UriTemplate {
  const parts = parseParts(text);
  const names = parts.flatMap((part) => (typeof part === "string" ? [] : part.variables.map(({ name }) => name)));
  let matcher: Matcher | undefined;
  return {
    text,
    variables: [...new Set(names)],
    expand: (values) => expandParts(parts, values),
    match: (uri) => (matcher ??= compileMatcher(parts))(uri),
  };
}
