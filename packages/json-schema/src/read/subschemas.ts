import { isObject } from "../json.ts";
import { step, type Place } from "../issues/path.ts";

/** The keywords of JSON Schema that hold schemas by name. */
const NAMED: ReadonlySet<string> = new Set(
  "$defs definitions dependencies dependentSchemas patternProperties properties".split(" "),
);

/** Those that hold a list of schemas, or one. In older dialects, some may hold either. */
const UNNAMED: ReadonlySet<string> = new Set(
  (
    "additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf prefixItems " +
    "propertyNames then unevaluatedItems unevaluatedProperties"
  ).split(" "),
);

/** What stands where a schema should: with the keyword it stands under, and its name or index if there are several. */
export type Subschema = readonly [value: unknown, keyword: string, name?: string];

/**
 * What a schema of any dialect holds in the places of further schemas; not all of it need be schemas. What stands under
 * `enum`, `default` and unknown keywords is data, whatever it looks like. Under `dependencies`, lists of names stand among
 * the schemas.
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

/** The schemas that a schema holds, of any dialect. */
export function* subschemas(schema: SchemaObject, place: Place | undefined): Generator<[RawSchema, Place]> {
  for (const [member, keyword, name] of subschemasOf(schema)) {
    if (!isRawSchema(member)) continue;
    const here = step(place, keyword);
    if (name === undefined) yield [member, here];
    else yield [member, step(here, Array.isArray(schema[keyword]) ? Number(name) : name)];
  }
}

/** Whether this can be a schema at all. */
export function isRawSchema(value: unknown): value is RawSchema {
  return typeof value === "boolean" || isObject(value);
}
