import { isObject } from "../../model/json.ts";
import { subschemaHolder } from "../../schema/subschema-holder.ts";
import { step, type Place } from "../place.ts";

/** A schema as it stands in its document, if it is not just `true` or `false`. */
export type SchemaObject = { readonly [keyword: string]: unknown };

/** Any schema as it stands in its document. */
export type RawSchema = SchemaObject | boolean;

/** The schemas that a schema holds, of any dialect. */
export function* subschemas(schema: SchemaObject, place: Place | undefined): Generator<[RawSchema, Place]> {
  for (const [keyword, value] of Object.entries(schema)) {
    const holder = subschemaHolder(keyword);
    if (holder === undefined) continue;
    const here = step(place, keyword);
    if (holder === "map" && isObject(value)) {
      for (const [name, member] of Object.entries(value)) if (isRawSchema(member)) yield [member, step(here, name)];
    } else if (Array.isArray(value)) {
      for (const [index, member] of value.entries()) if (isRawSchema(member)) yield [member, step(here, index)];
    } else if (isRawSchema(value)) yield [value, here];
  }
}

/** Whether this can be a schema at all. */
export function isRawSchema(value: unknown): value is RawSchema {
  return typeof value === "boolean" || isObject(value);
}
