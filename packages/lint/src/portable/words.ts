import type { Keywords } from "../walk/schema-nodes.ts";

/** So many characters of a description are kept when words are added. */
const MOST_OF_DESCRIPTION = 2_000;

/** A value of a constraint is said only if it is this short. */
const MOST_OF_VALUE = 120;

/** Constraints that are left out of a portable schema, and how they are said in its description. */
const SAID: readonly (readonly [keyword: string, say: (value: unknown) => string | undefined])[] = [
  ["format", (value) => (isWord(value) ? `format: ${value}` : undefined)],
  ["const", (value) => sayValues([value])],
  ["enum", (value) => (Array.isArray(value) ? sayValues(value) : undefined)],
  ["exclusiveMinimum", (value) => (typeof value === "number" ? `more than ${value}` : undefined)],
  ["exclusiveMaximum", (value) => (typeof value === "number" ? `less than ${value}` : undefined)],
  ["multipleOf", (value) => (typeof value === "number" ? `a multiple of ${value}` : undefined)],
  ["uniqueItems", (value) => (value === true ? "no item twice" : undefined)],
];

/** Says constraints of a schema in words, for those among `lost` that can be said. */
export function sayConstraints(schema: Keywords, lost: ReadonlySet<string>): readonly string[] {
  return SAID.flatMap(([keyword, say]) => (lost.has(keyword) ? (say(schema[keyword]) ?? []) : []));
}

/** Adds words to a description. */
export function describeWith(description: unknown, words: readonly string[]): string | undefined {
  const text = typeof description === "string" ? description : undefined;
  const told = words.filter((each) => text?.includes(each) !== true);
  if (told.length === 0) return text;
  const added = `(${told.join("; ")})`;
  return text === undefined || text === "" ? added : `${text.slice(0, MOST_OF_DESCRIPTION)} ${added}`;
}

/** Values that are no texts: texts of strangers stay out of descriptions, and are listed by `enum`. */
function sayValues(values: readonly unknown[]): string | undefined {
  if (values.length === 0 || values.some((value) => typeof value === "object" && value !== null)) return undefined;
  if (values.some((value) => typeof value === "string")) return undefined;
  const listed = values.map((value) => String(value)).join(", ");
  if (listed.length > MOST_OF_VALUE) return undefined;
  return values.length === 1 ? `always ${listed}` : `one of ${listed}`;
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9-]{1,32}$/.test(value);
}
