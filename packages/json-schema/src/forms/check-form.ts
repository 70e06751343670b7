import { findFormat } from "../formats/formats.ts";
import type { SchemaIssue } from "../issues/issue.ts";
import { isObject } from "../schema.ts";
import { FORM_FORMATS, type Form, type Keywords } from "./form.ts";

/** The values that fields of a form can have. */
export type FormContent = { readonly [field: string]: string | number | boolean | readonly string[] };

/**
 * Returns the defaults that a server gave to the fields of its form: the values to show before the user has changed anything.
 * Leaves out a default that its own field would refuse.
 */
export function formDefaults(form: Form): FormContent {
  const defaults = Object.entries(form.properties).flatMap(([name, field]) => {
    const value = (field as Keywords)["default"];
    return value !== undefined && checkField(field as Keywords, value) === undefined ? [[name, value]] : [];
  });
  return Object.fromEntries(defaults) as FormContent;
}

/**
 * Returns everything that is wrong with a filled-in form. It takes time in proportion to form and content: forms have neither
 * patterns nor nested schemas. The messages are for people who fill in a form, not for authors of JSON.
 */
export function checkForm(form: Form, content: FormContent): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (const name of form.required ?? []) {
    if (!Object.hasOwn(content, name)) issues.push({ path: name, kind: "required", message: "missing required field" });
  }
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(form.properties, name) ? form.properties[name] : {};
    const problem = checkField(field as Keywords, value);
    if (problem !== undefined) issues.push({ ...problem, path: name });
  }
  return issues;
}

type Problem = Omit<SchemaIssue, "path">;

function checkField(field: Keywords, value: unknown): Problem | undefined {
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

/** Whether a form can hold a value at all. */
function isValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function checkText(field: Keywords, value: string): Problem | undefined {
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

/** Whether a text has the format that its field asks for. Formats that forms do not have are not checked. */
function hasFormat(text: string, format: unknown): boolean {
  const name = FORM_FORMATS.get(format);
  return name === undefined || findFormat(name)?.test(text) !== false;
}

function checkRange({ minimum, maximum }: Keywords, value: number): Problem | undefined {
  if (typeof minimum === "number" && value < minimum) {
    return { kind: "minimum", message: `must be at least ${minimum}` };
  }
  if (typeof maximum === "number" && value > maximum) return { kind: "maximum", message: `must be at most ${maximum}` };
  return undefined;
}

function checkChoices(field: Keywords, value: readonly unknown[]): Problem | undefined {
  const { minItems, maxItems, items } = field;
  if (typeof minItems === "number" && value.length < minItems) {
    return { kind: "item-count", message: `must have at least ${minItems} choices` };
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    return { kind: "item-count", message: `must have at most ${maxItems} choices` };
  }
  const choices = isObject(items) ? choicesOf(items) : undefined;
  const allowed = choices && new Set(choices);
  const isWrong = value.some((item) => typeof item !== "string" || allowed?.has(item) === false);
  return isWrong ? notAmong(choices ?? ["any text"]) : undefined;
}

/** The values to choose from, in any of the ways a form can list them. */
function choicesOf(field: Keywords): readonly unknown[] | undefined {
  if (Array.isArray(field["enum"])) return field["enum"] as unknown[];
  const titled = field["oneOf"] ?? field["anyOf"];
  return Array.isArray(titled)
    ? titled.map((choice: unknown) => (isObject(choice) ? choice["const"] : undefined))
    : undefined;
}

function notAmong(choices: readonly unknown[]): Problem {
  // Lists texts only: nothing else can be chosen, and a server may list objects that have no text.
  const listed = choices.filter((choice) => typeof choice === "string").slice(0, 20);
  return { kind: "enum", message: `must be one of ${listed.join(", ")}` };
}

function wrongType(expected: string, value: unknown): Problem {
  return { kind: "type", message: `expected ${expected}, got ${value === null ? "null" : typeof value}` };
}
