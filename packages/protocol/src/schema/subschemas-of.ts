import { isObject } from "../model/json.ts";

/** The keywords of JSON Schema that hold schemas: by name, in a list, or one (in older dialects, a list instead). */
const MAPS = /^(\$defs|definitions|dependencies|dependentSchemas|patternProperties|properties)$/;
const LISTS = /^(allOf|anyOf|oneOf|prefixItems)$/;
const SINGLE =
  /^((additional|unevaluated)(Items|Properties)|contains|contentSchema|else|if|items|not|propertyNames|then)$/;

/** What stands where a schema should: with the keyword it stands under, and its name or index if there are several. */
export type Subschema = readonly [value: unknown, keyword: string, name?: string];

/**
 * What a schema of any dialect holds in the places of further schemas; not all of it need be schemas. What stands under
 * `enum`, `default` and unknown keywords is data, whatever it looks like. Under `dependencies`, lists of names stand among
 * the schemas.
 */
export function* subschemasOf(schema: { readonly [keyword: string]: unknown }): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    const isMap = MAPS.test(keyword);
    if (!isMap && !LISTS.test(keyword) && !SINGLE.test(keyword)) continue;
    if (Array.isArray(value) || (isMap && isObject(value))) {
      for (const [name, member] of Object.entries(value)) yield [member, keyword, name];
    } else yield [value, keyword];
  }
}
