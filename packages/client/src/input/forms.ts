import { isObject } from "@toolwire/protocol/internal";
import type { FormSchema, FormValue, SchemaIssue } from "@toolwire/protocol";

/** The formats that a text of a form can be asked to have. Each test takes time in proportion to the text. */
export const FORMATS: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ["email", isEmail],
  ["uri", isUri],
  ["date", isDate],
  ["date-time", isDateTime],
]);

/** Whether a text has the format that its field asks for. Those that forms do not know cannot be missed. */
export function hasFormat(text: string, format: unknown): boolean {
  return FORMATS.get(format)?.(text) !== false;
}

/** Words with single dots between them, on both sides. Which characters a mailbox may have, its host knows best. */
function isEmail(text: string): boolean {
  return /^[^\s@.]+(\.[^\s@.]+)*@[^\s@.]+(\.[^\s@.]+)*$/.test(text);
}

/** Parsers of URLs mend what is not allowed in one (RFC 3986, section 2): the server would get what they were given. */
function isUri(text: string): boolean {
  return URL.canParse(text) && !/[\s"<>\\^`{|}]/.test(text);
}

/** RFC 3339 `full-date`. `Date` takes the 31st of February for the 3rd of March. */
function isDate(text: string): boolean {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text);
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d:[0-5]\d|59:60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339 `date-time`: always with an offset. */
function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && TIME.test(text.slice(11));
}

/** A filled-in form. */
export type FormContent = { readonly [field: string]: FormValue };

type Fields = { readonly [key: string]: unknown };

/** The defaults that a server gave to the fields of its form: what to show before the user has changed anything. */
export function formDefaults(schema: FormSchema): FormContent {
  const defaults: [string, FormValue][] = [];
  for (const [name, field] of Object.entries(schema.properties)) {
    // A default that its own field would refuse is as good as none.
    if (field.default !== undefined && checkField(field as unknown as Fields, field.default) === undefined) {
      defaults.push([name, field.default]);
    }
  }
  return Object.fromEntries(defaults);
}

/** More than a person can be asked at once, or choose from. The list of all time zones is the longest that is in use. */
const MAX_FIELDS = 500;
const MAX_CHOICES = 1_000;

/** How much of a name is quoted to a server. */
const MAX_QUOTED = 100;

/**
 * Why this cannot be shown as a form, which is a flat object of fields. `undefined` if it can. It comes from a server, so
 * nothing about it is certain.
 */
export function explainUnfitForm(value: unknown): string | undefined {
  if (!isObject(value) || value["type"] !== "object" || !isObject(value["properties"])) return NOT_FLAT;
  const { properties, required } = value;
  if (required !== undefined && !isNames(required)) return NOT_FLAT;
  const fields = Object.entries(properties);
  const count = Math.max(fields.length, required?.length ?? 0);
  if (count > MAX_FIELDS) return `a form has at most ${MAX_FIELDS} fields, and this one has ${count}`;
  for (const [name, field] of fields) {
    if (!isObject(field)) return NOT_FLAT;
    const choices = Math.max(countChoices(field), isObject(field["items"]) ? countChoices(field["items"]) : 0);
    if (choices > MAX_CHOICES) {
      const shown = JSON.stringify(name.slice(0, MAX_QUOTED));
      return `a field has at most ${MAX_CHOICES} choices, and ${shown} has ${choices}`;
    }
  }
  return undefined;
}

const NOT_FLAT = "`requestedSchema` must be a flat object schema";

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/**
 * Everything that is wrong with a filled-in form. Forms know a small and fixed part of JSON Schema, without patterns, so
 * this needs no validator, and time in proportion to form and content.
 */
export function checkForm(schema: FormSchema, content: FormContent): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(content, name)) issues.push({ path: name, kind: "required", message: "missing required field" });
  }
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : {};
    const problem = checkField(field as unknown as Fields, value);
    if (problem !== undefined) issues.push({ ...problem, path: name });
  }
  return issues;
}

type Problem = Omit<SchemaIssue, "path">;

function checkField(field: Fields, value: unknown): Problem | undefined {
  switch (field["type"]) {
    case "string":
      return typeof value === "string" ? checkText(field, value) : wrongType("a string", value);
    case "integer":
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return wrongType("a number", value);
      if (field["type"] === "integer" && !Number.isInteger(value)) return wrongType("a whole number", value);
      return checkRange(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : wrongType("true or false", value);
    case "array":
      return Array.isArray(value) ? checkChoices(field, value) : wrongType("a list of choices", value);
    default:
      return isValue(value) ? undefined : wrongType("a text, a number, true or false, or a list of texts", value);
  }
}

/** Whether it is something that a form can hold at all. */
function isValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function checkText(field: Fields, value: string): Problem | undefined {
  const choices = choicesOf(field);
  if (choices !== undefined && !choices.includes(value)) return notAmong(choices);
  const { minLength, maxLength, format } = field;
  // JSON Schema counts characters, not UTF-16 units.
  let length = 0;
  for (const _ of value) length++;
  if (typeof minLength === "number" && length < minLength) {
    return { kind: "length", message: `must have at least ${minLength} characters` };
  }
  if (typeof maxLength === "number" && length > maxLength) {
    return { kind: "length", message: `must have at most ${maxLength} characters` };
  }
  if (!hasFormat(value, format)) {
    return { kind: "format", message: `must be a valid ${String(format)}` };
  }
  return undefined;
}

function checkRange({ minimum, maximum }: Fields, value: number): Problem | undefined {
  if (typeof minimum === "number" && value < minimum) {
    return { kind: "minimum", message: `must be at least ${minimum}` };
  }
  if (typeof maximum === "number" && value > maximum) return { kind: "maximum", message: `must be at most ${maximum}` };
  return undefined;
}

function checkChoices(field: Fields, value: readonly unknown[]): Problem | undefined {
  const { minItems, maxItems, items } = field;
  if (typeof minItems === "number" && value.length < minItems) {
    return { kind: "item-count", message: `must have at least ${minItems} choices` };
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    return { kind: "item-count", message: `must have at most ${maxItems} choices` };
  }
  const choices = isObject(items) ? choicesOf(items) : undefined;
  const allowed = choices && new Set(choices);
  const stranger = value.some((item) => typeof item !== "string" || allowed?.has(item) === false);
  return stranger ? notAmong(choices ?? ["any text"]) : undefined;
}

/** The values to choose from, in any of the ways a form can list them. */
function choicesOf(field: Fields): readonly unknown[] | undefined {
  if (Array.isArray(field["enum"])) return field["enum"] as unknown[];
  const titled = field["oneOf"] ?? field["anyOf"];
  return Array.isArray(titled)
    ? titled.map((choice: unknown) => (isObject(choice) ? choice["const"] : undefined))
    : undefined;
}

function countChoices({ enum: plain, oneOf, anyOf }: Fields): number {
  return Math.max(...[plain, oneOf, anyOf].map((choices) => (Array.isArray(choices) ? choices.length : 0)));
}

function notAmong(choices: readonly unknown[]): Problem {
  // Whatever else a server lists cannot be chosen, and may have no text.
  const listed = choices.filter((choice) => typeof choice === "string").slice(0, 20);
  return { kind: "enum", message: `must be one of ${listed.join(", ")}` };
}

function wrongType(expected: string, value: unknown): Problem {
  return { kind: "type", message: `expected ${expected}, got ${value === null ? "null" : typeof value}` };
}
