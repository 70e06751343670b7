import type { Format } from "../formats/formats.ts";
import type { Pattern } from "../patterns/pattern.ts";

/** The types of JSON, with `integer` as JSON Schema's addition. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** The values of `enum` or `const`, with a set of the short ones. */
export interface AllowedValues {
  readonly list: readonly unknown[];
  readonly short: ReadonlySet<unknown>;
  /** Objects, arrays and long strings, which have to be compared. */
  readonly long: readonly unknown[];
}

/**
 * One subschema after reading. Every keyword was checked and has its 2020-12 meaning, and references are pointers to other
 * nodes. Fields have the names of keywords; `undefined` is "not given".
 *
 * It is a class, so that all nodes have the same hidden class, which makes interpreting them fast.
 */
export class SchemaNode {
  /** The schema `false`. (`true` is a node without keywords.) */
  never = false;
  $ref: SchemaNode | undefined = undefined;

  type: readonly JsonType[] | undefined = undefined;
  enum: AllowedValues | undefined = undefined;
  const: AllowedValues | undefined = undefined;

  minimum: number | undefined = undefined;
  maximum: number | undefined = undefined;
  exclusiveMinimum: number | undefined = undefined;
  exclusiveMaximum: number | undefined = undefined;
  multipleOf: number | undefined = undefined;

  minLength: number | undefined = undefined;
  maxLength: number | undefined = undefined;
  pattern: Pattern | undefined = undefined;
  format: Format | undefined = undefined;

  prefixItems: readonly SchemaNode[] | undefined = undefined;
  items: SchemaNode | undefined = undefined;
  contains: SchemaNode | undefined = undefined;
  /** Whether items that match `contains` stay unevaluated, as in 2019-09. */
  leavesContained: boolean | undefined = undefined;
  minContains: number | undefined = undefined;
  maxContains: number | undefined = undefined;
  minItems: number | undefined = undefined;
  maxItems: number | undefined = undefined;
  uniqueItems: boolean | undefined = undefined;
  unevaluatedItems: SchemaNode | undefined = undefined;

  required: ReadonlySet<string> | undefined = undefined;
  properties: ReadonlyMap<string, SchemaNode> | undefined = undefined;
  patternProperties: ReadonlyMap<Pattern, SchemaNode> | undefined = undefined;
  additionalProperties: SchemaNode | undefined = undefined;
  propertyNames: SchemaNode | undefined = undefined;
  minProperties: number | undefined = undefined;
  maxProperties: number | undefined = undefined;
  dependentRequired: ReadonlyMap<string, ReadonlySet<string>> | undefined = undefined;
  dependentSchemas: ReadonlyMap<string, SchemaNode> | undefined = undefined;
  unevaluatedProperties: SchemaNode | undefined = undefined;

  allOf: readonly SchemaNode[] | undefined = undefined;
  anyOf: readonly SchemaNode[] | undefined = undefined;
  oneOf: readonly SchemaNode[] | undefined = undefined;
  not: SchemaNode | undefined = undefined;
  if: SchemaNode | undefined = undefined;
  /** `then`. A field of that name would make the node look like a promise. */
  whenTrue: SchemaNode | undefined = undefined;
  /** `else`. */
  whenFalse: SchemaNode | undefined = undefined;

  // Derived from the keywords on first use. Private, so that `Object.entries` lists keywords only.
  #propertyList: readonly (readonly [string, SchemaNode])[] | undefined = undefined;
  #requiredList: readonly string[] | undefined = undefined;
  #combines: boolean | undefined = undefined;

  /** `properties` as a list, which is faster to go through than a map. */
  get propertyList(): readonly (readonly [string, SchemaNode])[] {
    return (this.#propertyList ??= [...(this.properties ?? [])]);
  }

  /** `required` as a list, which is faster to go through than a set. */
  get requiredList(): readonly string[] {
    return (this.#requiredList ??= [...(this.required ?? [])]);
  }

  /** Whether there are keywords that apply other schemas to the same value. */
  get combines(): boolean {
    return (this.#combines ??= [this.$ref, this.allOf, this.anyOf, this.oneOf, this.not, this.if].some(
      (keyword) => keyword !== undefined,
    ));
  }
}

/** All nodes that this one points to directly. */
export function* childNodes(node: SchemaNode): Generator<SchemaNode> {
  for (const value of Object.values(node) as unknown[]) {
    if (value instanceof SchemaNode) yield value;
    else if (Array.isArray(value) || value instanceof Map) {
      for (const member of value.values() as Iterable<unknown>) if (member instanceof SchemaNode) yield member;
    }
  }
}
