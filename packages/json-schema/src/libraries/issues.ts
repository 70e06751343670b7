import type { StandardSchemaV1 } from "@standard-schema/spec";
import { writePath, type SchemaIssue } from "../issues/issue.ts";

/**
 * An issue of a schema library. Standard Schema has a message and a path only; zod, valibot and arktype add the rest.
 */
interface LibraryIssue extends StandardSchemaV1.Issue {
  /** The kind of issue, in zod and arktype. */
  readonly code?: unknown;
  /** The names of properties that zod does not know, at the path of the object that has them. */
  readonly keys?: unknown;
  /** The kind of issue, in valibot. */
  readonly type?: unknown;
}

/** How to read the issues of a library. */
interface Habits {
  /** Messages that the library writes itself. The author of the schema wrote all others, and these are kept. */
  readonly text: RegExp;
  /** Kinds of issues about conditions that JSON Schema cannot express. */
  readonly condition: RegExp;
  /** Kinds of issues about values that have none of several forms. */
  readonly union: RegExp;
}

const HABITS: Readonly<Record<string, Habits>> = {
  zod: {
    text: /^(?:Invalid (?:input: expected |input$|option: |discriminator |number: must be a multiple|string: must match |key in )|Invalid (?:email address|URL|UUID|ISO (?:date|datetime|time|duration)|IPv[46] address)$|Too (?:small|big): |Unrecognized key)/,
    condition: /^custom$/,
    union: /^invalid_union$/,
  },
  valibot: {
    text: /^Invalid [\w ]+: (?:Expected .* but received |Received )/s,
    condition: /check|custom/,
    union: /^(?:union|variant|intersect)$/,
  },
  arktype: {
    text: /(?:^| )must be (?:removed$|.* \(was .*\)$)/s,
    condition: /^$/,
    union: /^union$/,
  },
};

/** The path of an issue. */
function placeOf({ path = [] }: LibraryIssue): string {
  // Avoids `map`: arktype's paths are a subclass of arrays, whose `map` adds a part.
  return writePath(Array.from(path, (part) => (typeof part === "object" ? part.key : part)));
}

/** The message of a library without the path, which arktype puts in front. */
function textOf(issue: LibraryIssue): string {
  const { message } = issue;
  const place = `${placeOf(issue)} `;
  return place !== " " && message.startsWith(place) ? message.slice(place.length) : message;
}

/** Whether a message is the library's own, about a rule that JSON Schema can express as well. */
function isInOwnWords({ message, code, type }: LibraryIssue, vendor: string): boolean {
  const habits = HABITS[vendor];
  return habits !== undefined && habits.text.test(message) && !habits.condition.test(String(code ?? type));
}

/** Whether a value has none of several forms. */
function isAboutUnion({ code, type }: LibraryIssue, vendor: string): boolean {
  return HABITS[vendor]?.union.test(String(code ?? type)) === true;
}

/** Whether a library names the pattern that a text does not match, rather than a format that the pattern implements. */
function namesPattern({ message }: LibraryIssue): boolean {
  return /must match pattern|Expected \/|must be matched by/.test(message);
}

/** Most issues to reword: a value can have a million. */
const MAX_WORDED = 100;

/**
 * Rewords the issues of a schema library as those of plain JSON Schema, so that the sender of a value reads the same about the
 * same mistake with all libraries. `ours` are the issues of the value by the JSON Schema that the library publishes.
 *
 * The library decides what is wrong. Our words replace its standard messages about the same place. Messages of the schema's
 * author, and those about conditions that JSON Schema cannot express, stay as they are.
 */
export function wordIssues(
  theirs: readonly LibraryIssue[],
  vendor: string,
  ours: readonly SchemaIssue[],
): readonly SchemaIssue[] {
  const free = new Set(ours.filter(({ kind }) => kind !== "too-complex" && kind !== "too-deep"));
  const worded = new Map<string, SchemaIssue>();
  for (const issue of theirs.slice(0, MAX_WORDED)) {
    for (const each of word(issue)) worded.set(`${each.path}\n${each.message}`, each);
  }
  return [...worded.values(), ...theirs.slice(MAX_WORDED).map(keep)];

  function word(issue: LibraryIssue): readonly SchemaIssue[] {
    const found = isInOwnWords(issue, vendor) ? find(issue) : [];
    for (const each of found) free.delete(each);
    return found.length > 0 ? found : [keep(issue)];
  }

  function find(issue: LibraryIssue): readonly SchemaIssue[] {
    const place = placeOf(issue);
    if (Array.isArray(issue.keys)) return findUnknown(issue, issue.keys);
    const same = findAt(place, namesPattern(issue));
    // Issues of the form that was meant are about places below this one.
    if (same !== undefined) return same.kind === "union" ? [same, ...findBelow(place)] : [same];
    // An issue about the type of a container covers issues about its members.
    const around = ours.find(({ path, kind }) => kind === "type" && isBelow(place, path));
    if (around !== undefined) return [around];
    return isAboutUnion(issue, vendor) ? findBelow(place) : [];
  }

  function findBelow(place: string): readonly SchemaIssue[] {
    return [...free].filter(({ path }) => isBelow(path, place));
  }

  /** Our issue for this place. One about a pattern only serves issues about patterns: libraries write formats as patterns. */
  function findAt(place: string, mayBePattern: boolean): SchemaIssue | undefined {
    const here = [...free].filter(({ path }) => path === place);
    return here.find(({ kind }) => kind !== "pattern") ?? (mayBePattern ? here[0] : undefined);
  }

  /** zod names all unknown properties in one issue about their object. */
  function findUnknown({ path = [] }: LibraryIssue, names: readonly unknown[]): readonly SchemaIssue[] {
    const object = Array.from(path, (part) => (typeof part === "object" ? part.key : part));
    return names.slice(0, MAX_WORDED).flatMap((name) => findAt(writePath([...object, String(name)]), false) ?? []);
  }
}

function keep(issue: LibraryIssue): SchemaIssue {
  return { path: placeOf(issue), kind: "other", message: textOf(issue) };
}

/** Whether a place is inside of another one. */
function isBelow(place: string, other: string): boolean {
  if (other === "") return place !== "";
  return place.startsWith(other) && (place[other.length] === "." || place[other.length] === "[");
}
