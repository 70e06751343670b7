/** URI to values: the reverse of expansion, as far as there is one. */

import { cutRuns, MAX_URI_LENGTH, type CharacterClass, type Step } from "./cut-runs.ts";
import { takeCharacters } from "./expand.ts";
import type { Expression, Part, Variable } from "./syntax.ts";

/** The value of a variable in a URI: a list or object only if the variable is exploded (`*`). */
export type UriTemplateMatchValue = string | string[] | Record<string, string>;

/** A step, with the variables that its run holds. */
interface ReadableStep extends Step {
  /** Whether this step needs the one before it, however optional both are. */
  readonly isContinuation?: boolean;
  /** Reads the variables' values off the text of the run; false if it cannot be theirs. */
  readonly read?: (run: string, bind: Bind) => boolean;
}

type Bind = (variable: Variable, value: UriTemplateMatchValue) => void;

/** A compiled template: the values in a URI, or undefined if it does not match. */
export type Matcher = (uri: string) => Record<string, UriTemplateMatchValue> | undefined;

// Percent signs only occur in triplets here, and these may stand for anything.
const UNRESERVED = /[\w.~%-]/;
const LEGAL = /[^"<>\\^`{|}]/;
const ANY = /./;

/** Prepares a template for matching. */
export function compileMatcher(parts: readonly Part[]): Matcher {
  // Nearly every template starts with a literal, by which nearly every URI that does not match is recognised.
  const [first] = parts;
  const start = typeof first === "string" ? upperCaseTriplets(first) : "";
  const steps = toSteps(typeof first === "string" ? parts.slice(1) : parts);
  return (uri) => {
    try {
      const normal = normalize(uri);
      if (!normal?.startsWith(start)) return undefined;
      const rest = normal.slice(start.length);
      // Tries the strict reading first: a URI that expansion can produce must not be read leniently.
      const runs = cutRuns(steps, rest, "strict") ?? cutRuns(steps, rest, "lenient");
      return runs && readRuns(steps, runs);
    } catch (error) {
      // Percent-encoded bytes that are not UTF-8, or half of a surrogate pair.
      if (error instanceof URIError) return undefined;
      throw error;
    }
  };
}

/** The URI in printable ASCII with upper-case triplets, or undefined if it is none. */
function normalize(uri: string): string | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined;
  const encoded = uri.replaceAll(/[^!-~]+/g, (run) => encodeURIComponent(run));
  if (encoded.length > MAX_URI_LENGTH || /%(?![\dA-Fa-f]{2})/.test(encoded)) return undefined;
  return upperCaseTriplets(encoded);
}

function upperCaseTriplets(text: string): string {
  return text.includes("%") ? text.replaceAll(/%../g, (triplet) => triplet.toUpperCase()) : text;
}

function toSteps(parts: readonly Part[]): ReadableStep[] {
  const merged = mergeNeighbours(parts);
  return merged.flatMap((part, index) => {
    if (typeof part === "string") return [{ text: upperCaseTriplets(part), isOptional: false, minimum: 0 }];
    const later = merged.slice(index + 1).map((each) => (typeof each === "string" ? each : each.operator.first));
    return expressionSteps(part, later.join(""));
  });
}

/** `{/a}{/b}` is `{/a,b}`, and `{?a}{&b}` is `{?a,b}`: parameters may then come in any order. */
function mergeNeighbours(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const before = merged.at(-1);
    if (
      typeof part === "object" &&
      typeof before === "object" &&
      part.operator.first === part.operator.separator &&
      part.operator.separator === before.operator.separator
    ) {
      merged[merged.length - 1] = { ...before, variables: [...before.variables, ...part.variables] };
    } else {
      merged.push(part);
    }
  }
  return merged;
}

function expressionSteps({ operator, variables }: Expression, later: string): ReadableStep[] {
  const { first, separator, allowsReserved } = operator;
  const isOptional = first !== "";

  if (operator.isNamed) {
    const strict = classOf(UNRESERVED, `,=${separator}`);
    const lenient = classOf(ANY, "", separator === "&" ? "#" : "/?#");
    return [{ text: first, isOptional, minimum: 0, strict, lenient, read: readNamed(variables, separator) }];
  }

  // The first `?` starts the query and the first `#` the fragment (RFC 3986), if the template has these.
  const starts = (later.match(/[?#]/g) ?? []).join("");
  return variables.map((variable, index): ReadableStep => {
    const { isExploded } = variable;
    return {
      text: index === 0 ? first : separator,
      isOptional,
      isContinuation: index > 0 && first !== separator,
      minimum: isOptional ? 0 : 1,
      strict: allowsReserved ? classOf(LEGAL, "", starts) : classOf(UNRESERVED, isExploded ? `=${separator}` : ""),
      lenient: classOf(ANY, "", allowsReserved ? starts : isExploded && separator === "/" ? "?#" : "/?#"),
      read(run, bind) {
        bind(variable, isExploded ? readItems(run.split(separator)) : decodeURIComponent(run));
        return true;
      },
    };
  });
}

function classOf(pattern: RegExp, also = "", without = ""): CharacterClass {
  return Uint8Array.from({ length: 127 }, (_, code) => {
    const character = String.fromCharCode(code);
    return (pattern.test(character) || also.includes(character)) && !without.includes(character) ? 1 : 0;
  });
}

function readRuns(
  steps: readonly ReadableStep[],
  runs: readonly (string | undefined)[],
): Record<string, UriTemplateMatchValue> | undefined {
  const full = new Map<string, UriTemplateMatchValue>();
  const prefixes: [Variable, UriTemplateMatchValue][] = [];
  let agrees = true;
  const bind: Bind = (variable, value) => {
    if (variable.prefix > 0) {
      prefixes.push([variable, value]);
      return;
    }
    // A variable that occurs twice must stand for the same both times.
    const other = full.get(variable.name);
    agrees &&= other === undefined || JSON.stringify(other) === JSON.stringify(value);
    full.set(variable.name, value);
  };

  for (const [index, step] of steps.entries()) {
    const run = runs[index];
    if (run === undefined) continue;
    if (step.isContinuation && runs[index - 1] === undefined) return undefined;
    if (step.read?.(run, bind) === false) return undefined;
  }
  for (const [{ name, prefix }, value] of prefixes) {
    const whole = full.get(name) ?? value;
    agrees &&= typeof whole === "string" && takeCharacters(whole, prefix) === value;
    full.set(name, whole);
  }
  return agrees ? Object.fromEntries(full) : undefined;
}

/** The items of an exploded variable without names: an object if each is `key=value`, or else a list. */
function readItems(items: readonly string[]): string[] | Record<string, string> {
  const pairs = items.map(readPair);
  const keys = new Set(pairs.map(([key]) => key));
  return keys.size === items.length && items.every((item) => item.includes("="))
    ? Object.fromEntries(pairs)
    : items.map((item) => decodeURIComponent(item));
}

/** `name=value` pairs in any order, each name at most once unless its variable is exploded. */
function readNamed(variables: readonly Variable[], separator: string): (run: string, bind: Bind) => boolean {
  const byName = new Map(variables.map((variable) => [decodeName(variable.name), variable]));
  const exploded = variables.filter((variable) => variable.isExploded);
  return (run, bind) => {
    const found = new Map<Variable | undefined, [string, string][]>();
    for (const item of run === "" ? [] : run.split(separator)) {
      const pair = readPair(item);
      const variable = byName.get(pair[0]);
      const pairs = found.get(variable);
      if (pairs === undefined) found.set(variable, [pair]);
      else if (variable === undefined || variable.isExploded) pairs.push(pair);
      else return false;
    }
    for (const [variable, pairs] of found) {
      const values = pairs.map(([, value]) => value);
      if (variable !== undefined) {
        bind(variable, variable.isExploded ? values : (values[0] ?? ""));
        continue;
      }
      // Names of no variable are the keys of an exploded object, if there is one that they can belong to.
      const owner = exploded.find((each) => !found.has(each));
      const object = Object.fromEntries(pairs);
      if (owner === undefined || Object.keys(object).length !== pairs.length) return false;
      bind(owner, object);
    }
    return true;
  };
}

/** A name may be percent-encoded, and need not be UTF-8. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function readPair(item: string): [string, string] {
  const equals = item.indexOf("=");
  const key = equals === -1 ? item : item.slice(0, equals);
  return [decodeURIComponent(key), equals === -1 ? "" : decodeURIComponent(item.slice(equals + 1))];
}
