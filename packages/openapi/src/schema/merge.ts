import { typesOf, type Draft } from "./types.ts";

/**
 * Merges converted schemas that must all hold: the members of an `allOf`. Models see one schema, and the root of a tool's input
 * can be a plain object. Keywords that cannot be merged stay in an `allOf`.
 */

/** Merges schemas, the first of which has the last word on descriptions. */
export function mergeSchemas(parts: readonly Draft[]): Draft {
  // A closed part would refuse the properties of the other parts. Authors mean the whole to be closed, if anything.
  const withProperties = parts.filter((part) => "properties" in part).length;
  const open = withProperties > 1 ? parts.map(openUp) : parts;
  const [first = {}, ...others] = open;
  let merged: Draft = { ...first };
  for (const other of others) merged = mergeTwo(merged, other);
  return merged;
}

function openUp(part: Draft): Draft {
  if (part["additionalProperties"] !== false && part["unevaluatedProperties"] !== false) return part;
  const { additionalProperties, unevaluatedProperties, ...rest } = part;
  return {
    ...rest,
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
    ...(unevaluatedProperties !== undefined && unevaluatedProperties !== false && { unevaluatedProperties }),
  };
}

function mergeTwo(one: Draft, other: Draft): Draft {
  const merged: Draft = { ...one };
  const rest: Draft = {};
  for (const [keyword, value] of Object.entries(other)) {
    if (!Object.hasOwn(merged, keyword)) {
      merged[keyword] = value;
      continue;
    }
    const combined = combine(keyword, merged[keyword], value);
    if (combined === undefined) rest[keyword] = value;
    else merged[keyword] = combined;
  }
  if (Object.keys(rest).length === 0) return merged;
  const inner = Array.isArray(merged["allOf"]) ? (merged["allOf"] as unknown[]) : [];
  return { ...merged, allOf: [...inner, rest] };
}

/** One value for two of the same keyword. `undefined`: there is none, and both have to stay. */
function combine(keyword: string, one: unknown, other: unknown): unknown {
  switch (keyword) {
    case "description":
    case "title":
    case "default":
    case "deprecated":
      return one;
    case "properties":
    case "patternProperties":
      return mergeProperties(one as Draft, other as Draft);
    case "required":
      return [...new Set([...(one as string[]), ...(other as string[])])];
    case "allOf":
      return [...(one as unknown[]), ...(other as unknown[])];
    case "type":
      return mergeTypes(one, other);
    case "enum":
      return mergeEnums(one as readonly unknown[], other as readonly unknown[]);
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return Math.max(one as number, other as number);
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return Math.min(one as number, other as number);
    case "uniqueItems":
      return one === true || other === true;
    default:
      return JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
  }
}

function mergeProperties(one: Draft, other: Draft): Draft {
  const merged = new Map(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    const own = merged.get(name);
    merged.set(name, own === undefined ? value : mergeProperty(own, value));
  }
  return Object.fromEntries(merged);
}

/** The same property in two parts: one schema if one of them says nothing new, else both. */
function mergeProperty(one: unknown, other: unknown): unknown {
  if (JSON.stringify(one) === JSON.stringify(other) || isEmpty(other)) return one;
  if (isEmpty(one)) return other;
  if (isDraft(one) && isDraft(other) && !("$ref" in one) && !("$ref" in other)) {
    const merged = mergeTwo(one, other);
    if (!("allOf" in merged)) return merged;
  }
  return { allOf: [one, other] };
}

function isEmpty(schema: unknown): boolean {
  return schema === true || (isDraft(schema) && Object.keys(schema).length === 0);
}

function isDraft(schema: unknown): schema is Draft {
  return typeof schema === "object" && schema !== null;
}

/** An integer is a number. `undefined` if no value could be of both types. */
function mergeTypes(one: unknown, other: unknown): unknown {
  const [these, those] = [typesOf({ type: one }), typesOf({ type: other })];
  const both = these.flatMap((type) => {
    if (those.includes(type)) return [type];
    if (type === "integer" && those.includes("number")) return ["integer"];
    return type === "number" && those.includes("integer") ? ["integer"] : [];
  });
  return both.length === 0 ? undefined : both.length === 1 ? both[0] : both;
}

function mergeEnums(one: readonly unknown[], other: readonly unknown[]): unknown {
  const known = new Set(other.map((value) => JSON.stringify(value)));
  const both = one.filter((value) => known.has(JSON.stringify(value)));
  return both.length === 0 ? undefined : both;
}
