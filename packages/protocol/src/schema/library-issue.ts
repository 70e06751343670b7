import type { StandardSchemaV1 } from "@standard-schema/spec";
import { writePath } from "./path.ts";

/**
 * What a schema library complains of. Standard Schema asks for a message and a path only; the rest is what zod, valibot and
 * arktype add of their own.
 */
export interface LibraryIssue extends StandardSchemaV1.Issue {
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
export function placeOf({ path = [] }: LibraryIssue): string {
  // Of arktype's paths, which extend arrays, `map` makes a path of one part more.
  return writePath(Array.from(path, (part) => (typeof part === "object" ? part.key : part)));
}

/** What a library says, without the path, which arktype puts in front. */
export function textOf(issue: LibraryIssue): string {
  const { message } = issue;
  const place = `${placeOf(issue)} `;
  return place !== " " && message.startsWith(place) ? message.slice(place.length) : message;
}

/** Whether these are a library's own words for something that JSON Schema can express as well. */
export function isInOwnWords({ message, code, type }: LibraryIssue, vendor: string): boolean {
  const habits = HABITS[vendor];
  return habits !== undefined && habits.text.test(message) && !habits.condition.test(String(code ?? type));
}

/** Whether a value has none of several forms. */
export function isAboutUnion({ code, type }: LibraryIssue, vendor: string): boolean {
  return HABITS[vendor]?.union.test(String(code ?? type)) === true;
}

/** Whether a library names the pattern that a text does not match, rather than what the pattern stands for. */
export function namesPattern({ message }: LibraryIssue): boolean {
  return /must match pattern|Expected \/|must be matched by/.test(message);
}
