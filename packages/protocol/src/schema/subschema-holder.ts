/** How a keyword of JSON Schema holds schemas: one (or, in older dialects, a list instead), a list, or one by name. */
export type SubschemaHolder = "one" | "list" | "map";

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

/**
 * How a keyword of any dialect holds schemas. `undefined` for all that hold none: what stands under `enum`, `default` and
 * unknown keywords is data, whatever it looks like. Under `dependencies`, lists of names stand among the schemas.
 */
export function subschemaHolder(keyword: string): SubschemaHolder | undefined {
  return (Object.keys(HOLDERS) as SubschemaHolder[]).find((holder) => HOLDERS[holder].includes(keyword));
}
