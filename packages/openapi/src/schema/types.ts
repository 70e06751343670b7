import type { JsonSchemaObject } from "@toolwire/server";

/**
 * The types of schemas. Models and their vendors accept `"type": ["string", "null"]`, but many refuse lists of types with
 * objects or arrays in them, so these become unions.
 */

/** A schema while it is made. */
export interface Draft {
  [keyword: string]: unknown;
}

/** Keywords that say nothing about which values are valid. They stay outside when a schema becomes a form of a union. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["description", "title", "default", "deprecated"]);

/** Words for types that generators write, and what they mean. */
const TYPE_NAMES: ReadonlyMap<unknown, string> = new Map([
  ...["array", "boolean", "integer", "null", "number", "object", "string"].map((name) => [name, name] as const),
  ["bool", "boolean"],
  ["date", "string"],
  ["datetime", "string"],
  ["double", "number"],
  ["file", "string"],
  ["float", "number"],
  ["int", "integer"],
  ["int32", "integer"],
  ["int64", "integer"],
  ["long", "integer"],
  ["text", "string"],
  ["uuid", "string"],
]);

/** Reads `type`. `undefined` if it names nothing known: any value is valid then. */
export function readTypes(value: unknown): readonly string[] | undefined {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  const types = names.map((name) => TYPE_NAMES.get(typeof name === "string" ? name.toLowerCase() : name));
  return types.length > 0 && types.every((type) => type !== undefined) ? [...new Set(types)] : undefined;
}

/** The types that a converted schema names. */
export function typesOf(schema: JsonSchemaObject): readonly string[] {
  const { type } = schema;
  return typeof type === "string" ? [type] : Array.isArray(type) ? (type as string[]) : [];
}

/** Makes `null` valid as well. */
export function allowNull(schema: Draft): Draft {
  const types = typesOf(schema);
  const isUnion = "anyOf" in schema;
  if (types.includes("null") || (types.length === 0 && !isUnion && isOpen(schema))) return schema;
  if (types.length > 0 && !isUnion && !("const" in schema) && !types.some(isCompound)) {
    const { enum: values } = schema;
    const withNull = Array.isArray(values) && !values.includes(null) ? { enum: [...(values as unknown[]), null] } : {};
    return { ...schema, ...withNull, type: [...types, "null"] };
  }
  const { inner, outer } = splitAnnotations(schema);
  const forms = isUnion && Object.keys(inner).length === 1 ? (inner["anyOf"] as readonly unknown[]) : [inner];
  return { ...outer, anyOf: [...forms, { type: "null" }] };
}

/** Whether a schema has no keyword that could refuse `null`. */
function isOpen(schema: Draft): boolean {
  return Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword));
}

/** Turns a list of types with objects or arrays in it into a union with one type in each form. */
export function splitTypes(schema: Draft): Draft {
  const types = typesOf(schema);
  if (types.length < 2 || !types.some(isCompound)) return schema;
  const { inner, outer } = splitAnnotations(schema);
  const simple = types.filter((type) => !isCompound(type));
  const forms = [
    ...(simple.length === 0 ? [] : [{ ...pick(inner, simple), type: simple.length === 1 ? simple[0] : simple }]),
    ...types.filter(isCompound).map((type) => ({ ...pick(inner, [type]), type })),
  ];
  const { anyOf: own, ...rest } = outer;
  return own === undefined ? { ...rest, anyOf: forms } : { ...rest, anyOf: own, allOf: [{ anyOf: forms }] };
}

function isCompound(type: string): boolean {
  return type === "object" || type === "array";
}

/** Keywords that look at values of one type alone. */
const KEYWORDS_BY_TYPE: { readonly [type: string]: readonly string[] } = {
  object: [
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
  ],
  array: [
    "items",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "unevaluatedItems",
  ],
  string: ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

const BOUND_TO_A_TYPE: ReadonlySet<string> = new Set(Object.values(KEYWORDS_BY_TYPE).flat());

/** The keywords of a schema that matter to values of some types. */
function pick(schema: Draft, types: readonly string[]): Draft {
  const wanted = new Set(types.flatMap((type) => KEYWORDS_BY_TYPE[type] ?? []));
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !BOUND_TO_A_TYPE.has(keyword) || wanted.has(keyword)),
  );
}

function splitAnnotations(schema: Draft): { inner: Draft; outer: Draft } {
  const entries = Object.entries(schema);
  return {
    inner: Object.fromEntries(entries.filter(([keyword]) => !ANNOTATIONS.has(keyword))),
    outer: Object.fromEntries(entries.filter(([keyword]) => ANNOTATIONS.has(keyword))),
  };
}
