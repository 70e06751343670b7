import { isObject } from "../../model/json.ts";
import { subschemasOf } from "../../schema/subschemas-of.ts";
import { step, type Place } from "../place.ts";

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
