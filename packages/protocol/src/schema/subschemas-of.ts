import { isObject } from "../model/json.ts";

/** How a keyword of JSON Schema holds schemas: one (or, in older dialects, a list instead), a list, or one by name. */
type SubschemaHolder = "one" | "list" | "map";

const HOLDERS: { readonly [H in SubschemaHolder]: readonly string[] } = {
  one: [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
  ],
  list: ["allOf", "anyOf", "oneOf", "prefixItems"],
  map: ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"],
};

/** What stands where a schema should: with the keyword it stands under, and its name or index if there are several. */
export type Subschema = readonly [value: unknown, keyword: string, name?: string];

/**
 * What a schema of any dialect holds in the places of further schemas; not all of it need be schemas. What stands under
 * `enum`, `default` and unknown keywords is data, whatever it looks like. Under `dependencies`, lists of names stand among
 * the schemas.
 */
export function* subschemasOf(schema: { readonly [keyword: string]: unknown }): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    const holder = (Object.keys(HOLDERS) as SubschemaHolder[]).find((each) => HOLDERS[each].includes(keyword));
    if (holder === undefined) continue;
    if (Array.isArray(value) || (holder === "map" && isObject(value))) {
      for (const [name, member] of Object.entries(value)) yield [member, keyword, name];
    } else yield [value, keyword];
  }
}
