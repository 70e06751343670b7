import { isObject } from "@toolwire/protocol/internal";
import { GEMINI_KEYWORDS } from "../rules/keywords.ts";
import { GEMINI_NUMBER_FORMATS, GEMINI_TEXT_FORMATS } from "../rules/types.ts";
import { type Keywords, typesOf } from "../walk/schema-nodes.ts";
import { areObjects, mergeObjects } from "./merge.ts";
import { mergeAll, withoutParts, withoutReferences } from "./resolve.ts";
import { isTooDeep, note, type Place, type Rewriting } from "./rewriting.ts";
import { describeWith, sayConstraints } from "./words.ts";

/** Keywords that say nothing about values, so that nobody has to know that they are left out. */
const SILENT: ReadonlySet<string> = new Set(
  (
    "$schema $id $anchor $dynamicAnchor $recursiveAnchor $comment $vocabulary $defs definitions examples deprecated readOnly " +
    "writeOnly contentEncoding contentMediaType contentSchema discriminator xml externalDocs example nullable propertyOrdering"
  ).split(" "),
);

/** The keywords of each type that a portable schema can have. */
const OF_TYPE: { readonly [type: string]: readonly string[] } = {
  string: ["minLength", "maxLength", "pattern", "format", "enum"],
  number: ["minimum", "maximum", "format"],
  integer: ["minimum", "maximum", "format"],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties", "minProperties", "maxProperties"],
};

/** Rewrites the schema in a place. Every value that fits the original fits the result, but null where a property can be left out. */
export function rewrite(value: unknown, place: Place, work: Rewriting): Keywords {
  if (value === true) return {};
  if (!isObject(value)) {
    note(work, place.path, "a schema that accepts nothing is left out");
    return {};
  }
  work.left -= 1;
  if (work.left < 0 || isTooDeep(place, work)) {
    note(work, place.path, "what is nested deeper is left out");
    return withoutParts(value);
  }
  const { schema, within } = withoutReferences(value, place, work);
  const here: Place = { ...place, within };
  return rewriteKeywords(mergeAll(schema, here, work), here, work);
}

/** Rewrites the keywords of a schema without references. */
function rewriteKeywords(schema: Keywords, place: Place, work: Rewriting): Keywords {
  const cases = casesOf(schema, place, work);
  if (cases !== undefined) return cases;
  const types = typesOf(schema);
  const kept: Record<string, unknown> = {};
  const lost = new Set<string>();
  const [type] = types;
  if (type !== undefined) kept["type"] = type;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "type" || keyword === "description") continue;
    if (!GEMINI_KEYWORDS.has(keyword) || !keepKeyword(keyword, value, schema, kept, place, work)) lost.add(keyword);
  }
  if (type === "array" && !Object.hasOwn(kept, "items")) {
    kept["items"] = {};
    note(work, place.path, "`items` is added");
  }
  const loud = [...lost].filter((keyword) => !SILENT.has(keyword) && !keyword.startsWith("x-"));
  for (const keyword of loud) note(work, [...place.path, keyword], sayLoss(keyword));
  const description = describeWith(schema["description"], sayConstraints(schema, lost));
  return { ...kept, ...(description !== undefined && { description }) };
}

/** Keeps a keyword that a portable schema can have. Returns whether it could be kept. */
function keepKeyword(
  keyword: string,
  value: unknown,
  schema: Keywords,
  kept: Record<string, unknown>,
  place: Place,
  work: Rewriting,
): boolean {
  const { path, level, isOptional } = place;
  const below = { ...place, level: level + 1, isOptional: false };
  switch (keyword) {
    case "properties": {
      if (!isObject(value)) return false;
      const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
      const members = Object.entries(value).map(([name, member]): [string, unknown] => {
        const inside = { ...below, path: [...path, "properties", name], isOptional: !required.includes(name) };
        return [name, rewrite(member, inside, work)];
      });
      kept[keyword] = Object.fromEntries(members);
      return true;
    }
    case "required": {
      if (!Array.isArray(value)) return false;
      const { properties } = schema;
      const known = value.filter(
        (name) => typeof name === "string" && isObject(properties) && Object.hasOwn(properties, name),
      );
      if (known.length > 0) kept[keyword] = [...new Set(known)];
      return known.length === value.length;
    }
    case "items":
      // A list of schemas is the form of tuples in draft-07.
      kept[keyword] = Array.isArray(value) ? {} : rewrite(value, { ...below, path: [...path, "items"] }, work);
      return !Array.isArray(value);
    case "additionalProperties":
      kept[keyword] =
        typeof value === "boolean"
          ? value
          : rewrite(value, { ...below, path: [...path, "additionalProperties"] }, work);
      return true;
    case "format": {
      const formats = schema["type"] === "string" ? GEMINI_TEXT_FORMATS : GEMINI_NUMBER_FORMATS;
      if (typeof value !== "string" || !formats.has(value)) return false;
      kept[keyword] = value;
      return true;
    }
    case "enum": {
      if (!Array.isArray(value)) return false;
      const texts = value.filter((each) => typeof each === "string");
      // Of a text, values that are none say nothing. Without a type, they are values like any other.
      const isText = typesOf(schema).every((type) => type === "string") && texts.length > 0;
      const isWhole =
        schema["type"] === "string" || value.every((each) => typeof each === "string" || (each === null && isOptional));
      if (!isText || !isWhole) return false;
      kept["type"] = "string";
      kept[keyword] = texts;
      return true;
    }
    case "nullable":
    case "example":
    case "propertyOrdering":
      return false;
    default:
      kept[keyword] = value;
      return true;
  }
}

function sayLoss(keyword: string): string {
  return `\`${keyword.slice(0, 64)}\` is left out; arguments are still checked against it`;
}

/** The cases of a schema, as `anyOf` with one type each, if it has more than one. */
function casesOf(schema: Keywords, place: Place, work: Rewriting): Keywords | undefined {
  const { anyOf, oneOf, const: only, ...own } = schema;
  if (typeof only === "string") {
    note(work, [...place.path, "const"], "`const` is written as `enum`");
    return rewriteKeywords({ ...own, type: "string", enum: [only] }, place, work);
  }
  const given = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(given)) {
    if (given === oneOf) note(work, [...place.path, "oneOf"], "`oneOf` is written as `anyOf`");
    else if (oneOf !== undefined) note(work, [...place.path, "oneOf"], sayLoss("oneOf"));
    const keyword = given === oneOf ? "oneOf" : "anyOf";
    return union(given, own, { ...place, path: [...place.path, keyword] }, place, work);
  }
  const { type } = schema;
  if (!Array.isArray(type)) return undefined;
  note(work, [...place.path, "type"], "the list of types is written as one type, or as cases");
  const types = [...new Set(typesOf(schema))];
  if (types.length === 0) return rewriteKeywords({ ...schema, type: undefined }, place, work);
  const shared = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => keyword !== "type" && !isOfSomeType(keyword)),
  );
  const cases = types.map((each) => ({
    type: each,
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => OF_TYPE[each]?.includes(keyword) === true)),
  }));
  return union(cases, shared, place, place, work);
}

function isOfSomeType(keyword: string): boolean {
  return Object.values(OF_TYPE).some((keywords) => keywords.includes(keyword));
}

/** Writes cases as `anyOf`. Null is left out where the whole value can be. One case that is left takes the place of the union. */
function union(given: readonly unknown[], own: Keywords, inCases: Place, place: Place, work: Rewriting): Keywords {
  const cases = given.filter((each) => !isNull(each));
  const mayBeNull = cases.length < given.length;
  if (mayBeNull && place.isOptional) note(work, place.path, "null is left out: the property itself can be");
  const [first, ...others] = cases;
  const isAlone = others.length === 0 && (place.isOptional || !mayBeNull);
  if (isAlone && isObject(first)) {
    const here = { ...place, path: [...inCases.path, given.indexOf(first)] };
    return rewrite({ ...first, ...definedOf(own) }, here, work);
  }
  const written = cases.map((each, index) =>
    rewrite(each, { ...inCases, path: [...inCases.path, index], isOptional: false }, work),
  );
  if (mayBeNull && !place.isOptional) written.push({ type: "null" });
  const { type: _type, properties, required, items, ...beside } = definedOf(own) as Record<string, unknown>;
  const parts = [properties, required, items].some((each) => each !== undefined);
  if (parts) {
    const objects = written.filter((each) => each["type"] !== "null");
    if (areObjects(objects)) {
      // What all cases share stands beside them: one object with all properties says both.
      const whole = mergeObjects(
        [rewriteKeywords({ ...own, type: "object" }, place, work), mergeObjects(objects, "any")],
        "written",
      );
      return withDescription(whole, own);
    }
    note(work, inCases.path, "the cases are left out; arguments are still checked against them");
    return rewriteKeywords(own, place, work);
  }
  const described = rewriteKeywords(withoutTyped(beside), place, work);
  return written.length === 0 ? described : { ...described, anyOf: written };
}

/** What may stand beside cases: texts and defaults. What depends on a type belongs into the cases. */
function withoutTyped(schema: Keywords): Keywords {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isOfSomeType(keyword)));
}

function definedOf(schema: Keywords): Keywords {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function withDescription(schema: Keywords, { description }: Keywords): Keywords {
  return typeof description === "string" ? { ...schema, description } : schema;
}

function isNull(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, const: only, enum: values } = value as Keywords;
  if (type === "null" || (Object.hasOwn(value, "const") && only === null)) return true;
  return Array.isArray(values) && values.length > 0 && values.every((each) => each === null);
}
