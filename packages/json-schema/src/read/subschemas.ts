import { step, type Place } from "../issues/issue.ts";
import { isObject } from "../schema.ts";

/** The keywords of JSON Schema that hold schemas by name. */
const NAMED: ReadonlySet<string> = new Set(
  "$defs definitions dependencies dependentSchemas patternProperties properties".split(" "),
);

/** The keywords that hold one schema or a list of schemas. Some hold either, depending on the dialect. */
const UNNAMED: ReadonlySet<string> = new Set(
  (
    "additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf prefixItems " +
    "propertyNames then unevaluatedItems unevaluatedProperties"
  ).split(" "),
);

/** A value in the place of a schema, with its keyword, and its name or index if the keyword holds several. */
export type Subschema = readonly [value: unknown, keyword: string, name?: string];

/**
 * Lists the values in the places of subschemas, in any dialect. They need not be schemas: `dependencies` also holds lists of
 * names. Values of `enum`, `default` and unknown keywords are data, even if they look like schemas.
 */
export function* subschemasOf(schema: { readonly [keyword: string]: unknown }): Generator<Subschema> {
  for (const keyword of Object.keys(schema)) {
    const isNamed = NAMED.has(keyword);
    if (!isNamed && !UNNAMED.has(keyword)) continue;
    const value = schema[keyword];
    if (Array.isArray(value) || (isNamed && isObject(value))) {
      for (const [name, member] of Object.entries(value)) yield [member, keyword, name];
    } else yield [value, keyword];
  }
}

/** A schema as it stands in its document, if it is not just `true` or `false`. */
export type SchemaObject = { readonly [keyword: string]: unknown };

/** Any schema as it stands in its document. */
export type RawSchema = SchemaObject | boolean;

/** Lists the subschemas of a schema, in any dialect. */
export function* subschemas(schema: SchemaObject, place: Place | undefined): Generator<[RawSchema, Place]> {
  for (const [member, keyword, name] of subschemasOf(schema)) {
    if (!isRawSchema(member)) continue;
    const here = step(place, keyword);
    if (name === undefined) yield [member, here];
    else yield [member, step(here, Array.isArray(schema[keyword]) ? Number(name) : name)];
  }
}

/** Whether a value has the form of a schema. */
export function isRawSchema(value: unknown): value is RawSchema {
  return typeof value === "boolean" || isObject(value);
}
