/**
 * Forms that a server asks a user to fill in: the small, fixed part of JSON Schema that MCP allows there (elicitation page,
 * "Requested Schema"). This file says which schemas are forms; `check-form.ts` checks the answers.
 */
import { SchemaError } from "../error.ts";
import { isObject } from "../schema.ts";

/** A form: a flat object of simple fields. */
export interface Form {
  readonly type: "object";
  readonly properties: { readonly [field: string]: object };
  readonly required?: readonly string[] | undefined;
}

/** A schema, a field or anything else with members. */
export type Keywords = { readonly [keyword: string]: unknown };

const COMMON: readonly string[] = ["type", "title", "description", "default"];

/** The keywords that each type of field may have beside the common ones. */
const KEYWORDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["string", ["minLength", "maxLength", "format", "enum", "enumNames", "oneOf"]],
  ["number", ["minimum", "maximum"]],
  ["integer", ["minimum", "maximum"]],
  ["boolean", []],
  ["array", ["minItems", "maxItems", "items"]],
]);

/** The formats that a form may ask for, with those of JSON Schema that test them: users also write in letters beyond ASCII. */
export const FORM_FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["email", "idn-email"],
  ["uri", "iri"],
  ["date", "date"],
  ["date-time", "date-time"],
]);

/**
 * Makes the form to show for a schema, without the keywords that forms do not have. The answer is to be checked against the
 * schema itself.
 *
 * @throws SchemaError `INVALID_SCHEMA` for a schema that no form can show
 */
export function toForm(schema: unknown): Form {
  const { type, properties, required }: Keywords = isObject(schema) ? schema : {};
  if (type !== "object" || !isObject(properties)) {
    throw unusable("the form itself", "must be an object with `properties`");
  }
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, toField(name, field)])),
    ...(Array.isArray(required) && required.length > 0 && { required: required as string[] }),
  };
}

function toField(name: string, schema: unknown): object {
  const keywords = isObject(schema) ? KEYWORDS.get(schema["type"]) : undefined;
  if (!isObject(schema) || keywords === undefined) {
    throw unusable(`"${name}"`, "must be a string, a number, a boolean, or a choice of strings");
  }
  if (schema["type"] === "array" && !isChoice(schema["items"])) {
    throw unusable(`"${name}"`, "may be a list only if its items are a choice of strings");
  }
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => {
      if (keyword === "format") return FORM_FORMATS.has(value);
      return COMMON.includes(keyword) || keywords.includes(keyword);
    }),
  );
}

function isChoice(items: unknown): boolean {
  return isObject(items) && (Array.isArray(items["enum"]) || Array.isArray(items["anyOf"]));
}

function unusable(what: string, expected: string): SchemaError {
  return new SchemaError("INVALID_SCHEMA", `A form is a flat object of simple fields: ${what} ${expected}.`);
}

/** More than a person can be asked at once, or choose from. The list of all time zones is the longest that is in use. */
const MAX_FIELDS = 500;
const MAX_CHOICES = 1_000;

/** How much of a field's name is quoted in a message. */
const MAX_QUOTED = 100;

const NOT_FLAT = "`requestedSchema` must be a flat object schema";

/**
 * Says why a schema that somebody else wrote cannot be shown as a form, or `undefined` if it can. Anything may stand there, of
 * any size.
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

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function countChoices({ enum: plain, oneOf, anyOf }: Keywords): number {
  return Math.max(...[plain, oneOf, anyOf].map((choices) => (Array.isArray(choices) ? choices.length : 0)));
}
