/** The arguments of a tool, in one line that a model reads like a type of TypeScript. */
import type { JsonSchema } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";

/** The most characters of one line. What does not fit is left out, and `…` says so. */
const MAX_LINE = 600;

/** The most arguments, values of an argument, and levels of objects that are written. */
const MAX_ARGUMENTS = 24;
const MAX_VALUES = 8;
const MAX_DEPTH = 2;

/** The most characters of a value. */
const MAX_VALUE = 60;

/** A type that says nothing. */
const ANY = "any";

/**
 * Writes the arguments of a tool: `{ owner: string, repo: string, title: string, labels?: string[] }`. Required ones come first. It is no
 * full schema: limits, formats and what is nested deeply are left out.
 */
export function writeArguments(schema: JsonSchema | undefined): string {
  const line = writeObject(schema, schema, 0);
  // Names may be of any length: schemas of other servers are no more than data.
  return line.length <= 3 * MAX_LINE ? line : `${line.slice(0, 3 * MAX_LINE).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function writeObject(schema: unknown, root: unknown, depth: number): string {
  const properties = isObject(schema) && isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  if (properties.length === 0) return depth === 0 ? "{}" : "object";
  const required: unknown = (schema as { readonly required?: unknown }).required;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const ordered = [
    ...properties.filter(([name]) => isRequired(name)),
    ...properties.filter(([name]) => !isRequired(name)),
  ];
  const room = MAX_LINE / 4 ** depth;
  let text = "";
  for (const [index, [name, property]] of ordered.entries()) {
    const part = `${writeName(name)}${isRequired(name) ? "" : "?"}: ${writeType(property, root, depth + 1)}`;
    // Without a required argument the call could not be made, so those have more room.
    const most = isRequired(name) ? 3 * room : room;
    if (index > 0 && (text.length + part.length > most || index >= MAX_ARGUMENTS)) return `{ ${text}, … }`;
    text += `${text === "" ? "" : ", "}${part}`;
  }
  return `{ ${text} }`;
}

function writeName(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : JSON.stringify(name);
}

function writeType(given: unknown, root: unknown, depth: number): string {
  const schema = resolve(given, root);
  if (!isObject(schema)) return ANY;
  const { enum: values, const: value, type, anyOf, oneOf, items } = schema as { readonly [keyword: string]: unknown };
  if (value !== undefined) return writeValue(value);
  if (Array.isArray(values)) return writeValues(values);
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (choices !== undefined) {
    return depth > MAX_DEPTH ? ANY : join(choices.slice(0, MAX_VALUES).map((each) => writeType(each, root, depth + 1)));
  }
  if (Array.isArray(type)) return join(type.map((each) => writeType({ ...schema, type: each as string }, root, depth)));
  switch (type) {
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    case "array": {
      const item = items === undefined || depth > MAX_DEPTH + 1 ? ANY : writeType(items, root, depth + 1);
      return item.includes(" ") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
    case undefined:
      if (type === undefined && !("properties" in schema)) return ANY;
      return depth > MAX_DEPTH ? "{ … }" : writeObject(schema, root, depth);
    default:
      return ANY;
  }
}

function writeValues(values: readonly unknown[]): string {
  const texts = values.slice(0, MAX_VALUES).map(writeValue);
  return join(values.length > MAX_VALUES ? [...texts, "…"] : texts);
}

/** A value that only says what else it could be is left out if it is long. */
function writeValue(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined || text.length > MAX_VALUE ? "…" : text;
}

function join(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

/** Follows a reference to the schema's own definitions, once: the rest of a recursive schema is left out. */
function resolve(schema: unknown, root: unknown): unknown {
  const reference: unknown = isObject(schema) ? schema["$ref"] : undefined;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema;
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isObject(found) && "$ref" in found ? undefined : found;
}
