import type { StandardSchemaV1 } from "@standard-schema/spec";
import { writePath } from "../issues/path.ts";
import type { SchemaIssue } from "../issues/issue.ts";

/**
 * What a schema library complains of. Standard Schema asks for a message and a path only; the rest is what zod, valibot and
 * arktype add of their own.
 */
interface LibraryIssue extends StandardSchemaV1.Issue {
  /** What kind of complaint it is, in zod and arktype. */
  readonly code?: unknown;
  /** The names of properties that zod does not know, at the path of the object that has them. */
  readonly keys?: unknown;
  /** What kind of complaint it is, in valibot. */
  readonly type?: unknown;
}

/** How to read the complaints of a library. */
interface Habits {
  /** Texts that the library writes itself. Any other is by the author of the schema, who knows best. */
  readonly text: RegExp;
  /** Complaints about conditions that JSON Schema has no words for. */
  readonly condition: RegExp;
  /** Complaints that a value has none of several forms. */
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

/** Where a complaint is about. */
function placeOf({ path = [] }: LibraryIssue): string {
  // Of arktype's paths, which extend arrays, `map` makes a path of one part more.
  return writePath(Array.from(path, (part) => (typeof part === "object" ? part.key : part)));
}

/** What a library says, without the path, which arktype puts in front. */
function textOf(issue: LibraryIssue): string {
  const { message } = issue;
  const place = `${placeOf(issue)} `;
  return place !== " " && message.startsWith(place) ? message.slice(place.length) : message;
}

/** Whether these are a library's own words for something that JSON Schema can express as well. */
function isInOwnWords({ message, code, type }: LibraryIssue, vendor: string): boolean {
  const habits = HABITS[vendor];
  return habits !== undefined && habits.text.test(message) && !habits.condition.test(String(code ?? type));
}

/** Whether a value has none of several forms. */
function isAboutUnion({ code, type }: LibraryIssue, vendor: string): boolean {
  return HABITS[vendor]?.union.test(String(code ?? type)) === true;
}

/** Whether a library names the pattern that a text does not match, rather than what the pattern stands for. */
function namesPattern({ message }: LibraryIssue): boolean {
  return /must match pattern|Expected \/|must be matched by/.test(message);
}

/** So many issues get better words. Nobody reads more of them, but a value can have a million. */
const MAX_WORDED = 100;

/**
 * Puts what a schema library complains of into the words that plain JSON Schema would get, so that whoever sent the value reads
 * the same about the same mistake, whatever the schema was written with. `ours` is what is wrong with the value by the JSON
 * Schema that the library publishes.
 *
 * The library decides what is wrong. Ours only lends its words, where both complain of the same place and the library has
 * nothing to say but its standard text. What the author of the schema wrote, and conditions that JSON Schema cannot express,
 * stay in the words of the library.
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
    // What is wrong with the form that was meant stands below.
    if (same !== undefined) return same.kind === "union" ? [same, ...findBelow(place)] : [same];
    // What a library says about members of something that should have none is as good as said by what it should be.
    const around = ours.find(({ path, kind }) => kind === "type" && isBelow(place, path));
    if (around !== undefined) return [around];
    return isAboutUnion(issue, vendor) ? findBelow(place) : [];
  }

  function findBelow(place: string): readonly SchemaIssue[] {
    return [...free].filter(({ path }) => isBelow(path, place));
  }

  /** The words for this place. Those of a pattern serve only whoever speaks of it: libraries write formats as patterns. */
  function findAt(place: string, mayBePattern: boolean): SchemaIssue | undefined {
    const here = [...free].filter(({ path }) => path === place);
    return here.find(({ kind }) => kind !== "pattern") ?? (mayBePattern ? here[0] : undefined);
  }

  /** zod names the properties it does not know in one complaint about the object that has them. */
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
