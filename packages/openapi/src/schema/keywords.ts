import { untrustedSchemaValidator } from "@toolwire/json-schema";
import { itemsOf, textsOf } from "../document/json-value.ts";

/**
 * Keywords whose values are no schemas. Documents have values that JSON Schema does not allow, such as `minLength: "5"`, and one
 * of them would make the whole tool unusable: they are left out.
 */

/** Reads the value of a keyword. `undefined` if it is not valid. */
type ReadValue = (value: unknown) => unknown;

const readNumber: ReadValue = (value) => {
  // YAML and generators write numbers as texts at times.
  const number = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
};

const readCount: ReadValue = (value) => {
  const count = readNumber(value);
  return Number.isSafeInteger(count) && (count as number) >= 0 ? count : undefined;
};

const readDivisor: ReadValue = (value) => {
  const divisor = readNumber(value);
  return typeof divisor === "number" && divisor > 0 ? divisor : undefined;
};

const readNames: ReadValue = (value) => (Array.isArray(value) ? [...new Set(textsOf(value))] : undefined);

/** Formats that tell a model nothing, or that are no formats of JSON Schema. */
const SILENT_FORMATS: ReadonlySet<string> = new Set(["int32", "int64", "float", "double", "binary", "byte", "string"]);

const readFormat: ReadValue = (value) =>
  typeof value === "string" && /^[\w-]{1,40}$/.test(value) && !SILENT_FORMATS.has(value) ? value : undefined;

/** Only patterns that take linear time: the document may want to keep the server busy. */
const readPattern: ReadValue = (value) => (typeof value === "string" && isLinearPattern(value) ? value : undefined);

const readText: ReadValue = (value) => (typeof value === "string" && value.length <= 100 ? value : undefined);

const readEnum: ReadValue = (value) => {
  const values = itemsOf(value).filter((item) => item !== undefined);
  return values.length === 0 ? undefined : [...new Set(values)];
};

const MAX_DEFAULT_LENGTH = 200;

/** A default is an example of what the server does if nothing is sent; a long one is not worth its tokens. */
const readDefault: ReadValue = (value) => {
  const written = value === undefined ? undefined : JSON.stringify(value);
  return written === undefined || written.length > MAX_DEFAULT_LENGTH ? undefined : value;
};

/** The keywords with plain values that are kept. */
export const VALUE_KEYWORDS: ReadonlyMap<string, ReadValue> = new Map([
  ["minimum", readNumber],
  ["maximum", readNumber],
  ["multipleOf", readDivisor],
  ["minLength", readCount],
  ["maxLength", readCount],
  ["pattern", readPattern],
  ["format", readFormat],
  ["minItems", readCount],
  ["maxItems", readCount],
  ["uniqueItems", (value: unknown) => (value === true ? true : undefined)],
  ["minContains", readCount],
  ["maxContains", readCount],
  ["minProperties", readCount],
  ["maxProperties", readCount],
  ["required", readNames],
  ["enum", readEnum],
  ["const", (value: unknown) => value],
  ["default", readDefault],
  ["contentEncoding", readText],
  ["contentMediaType", readText],
]);

/** Keywords that are left out without a word: they are of documents, or say nothing about values. */
export const SILENT_KEYWORDS: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$id",
  "$schema",
  "$vocabulary",
  "allowEmptyValue",
  "collectionFormat",
  "definitions",
  "deprecated",
  "description",
  "discriminator",
  "example",
  "examples",
  "externalDocs",
  "id",
  "nullable",
  "readOnly",
  "title",
  "writeOnly",
  "xml",
]);

/** Whether values of a keyword are dropped for a reason that needs no report. */
export function isExpectedLoss(keyword: string, value: unknown): boolean {
  if (keyword === "format") return typeof value === "string";
  return keyword === "default" || keyword === "required" || keyword === "uniqueItems";
}

const linear = new Map<string, boolean>();

/** The most patterns to remember, so that documents cannot fill the memory. */
const MAX_REMEMBERED = 1_000;

/** Whether a pattern is valid, and can be matched in linear time. */
export function isLinearPattern(pattern: string): boolean {
  let known = linear.get(pattern);
  if (known === undefined) {
    known = compiles(pattern);
    if (linear.size >= MAX_REMEMBERED) linear.clear();
    linear.set(pattern, known);
  }
  return known;
}

function compiles(pattern: string): boolean {
  try {
    untrustedSchemaValidator.compile({ pattern });
    return true;
  } catch {
    return false;
  }
}

/** Whether a keyword is an extension of OpenAPI. */
export function isExtension(keyword: string): boolean {
  return keyword.startsWith("x-") || keyword.startsWith("X-");
}
