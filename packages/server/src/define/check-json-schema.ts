import { isObject } from "@toolwire/protocol/internal";
import { UsageError, type JsonSchema } from "@toolwire/protocol";
import { subschemasOf } from "@toolwire/protocol/schema";
import { NO_BASE, SchemaReferences } from "./schema-references.ts";

/** The dialects that the validator understands. */
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft\/2019-09|draft-07)\/schema#?$/;

const MAX_DEPTH = 100;
const MAX_SIZE = 1_000_000;
const MAX_SUBSCHEMAS = 10_000;

const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** What the values of keywords have to be. Those that hold schemas are looked into, all others may be anything. */
const VALUES: readonly (readonly [keywords: RegExp, what: string, fits: (value: unknown) => boolean])[] = [
  [/^type$/, `one of ${TYPES.join(", ")}, or a list of them`, isType],
  [/^(min|max)(Length|Items|Properties|Contains)$/, "a whole number of at least 0", isCount],
  [/^(min|max|exclusiveMin|exclusiveMax)imum$/, "a number", Number.isFinite],
  [/^multipleOf$/, "a number above 0", (value) => Number.isFinite(value) && (value as number) > 0],
  [/^uniqueItems$/, "true or false", (value) => typeof value === "boolean"],
  [/^required$/, "a list of names, on the object itself", isNames],
  [/^enum$/, "a list of values", Array.isArray],
  [
    /^dependentRequired$/,
    "an object of lists of names",
    (value) => isObject(value) && Object.values(value).every(isNames),
  ],
  [/^(format|\$(id|anchor|ref|dynamicRef|recursiveRef))$/, "a string", (value) => typeof value === "string"],
  [/^pattern$/, "a regular expression", isPattern],
  [
    /^(allOf|anyOf|oneOf|prefixItems)$/,
    "a list of one or more schemas",
    (value) => Array.isArray(value) && value.length > 0,
  ],
  [
    /^(\$defs|definitions|dependencies|dependentSchemas|patternProperties|properties)$/,
    "an object of schemas",
    isObject,
  ],
];

/**
 * Checks a JSON Schema while the server is being defined, without the validator, which may not be loaded: dialect, keyword
 * values, names that are given twice, references that lead to no schema, size. The validator itself looks again, and refuses
 * three things more: an `$id` of more than 1000 characters, dynamic references that could mean several schemas, and
 * patterns that take too much memory.
 *
 * @throws UsageError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
 */
export function checkJsonSchema(root: JsonSchema): void {
  if (typeof root !== "object") return;
  const dialect = dialectOf(root["$schema"]);
  const names = new SchemaReferences(root, dialect === "draft-07");
  const visited = new Set<unknown>();
  const references: (readonly [reference: string, where: string, base: string])[] = [];
  let size = 0;
  measure(root, 1);
  visit(root, "#", NO_BASE);
  // There may be more in what they lead to: it can stand where no schemas are expected, as in OpenAPI's `components`.
  for (const [reference, where, from] of references) {
    const { target, base } = names.follow(reference, from);
    if (base === undefined) {
      throw invalid(
        where,
        `points outside of the schema, to ${reference}, which is never fetched: put it under \`$defs\``,
      );
    }
    if (target === undefined) throw invalid(where, `points to ${reference}, where there is nothing`);
    visit(target, `${where}: ${reference}`, base);
  }

  /** Before anything else looks at it: a schema may also contain itself. */
  function measure(value: unknown, depth: number): void {
    size += typeof value === "string" ? value.length + 2 : 2;
    expectSmall(size, MAX_SIZE, "characters");
    if (typeof value !== "object" || value === null) return;
    expectSmall(depth, MAX_DEPTH, "levels");
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) size += key.length + 2;
      measure(member, depth + 1);
    }
  }

  function visit(schema: unknown, where: string, outerBase: string): void {
    if (visited.has(schema)) return;
    expectSmall(visited.add(schema).size, MAX_SUBSCHEMAS, "subschemas");
    if (typeof schema === "boolean") return;
    if (!isObject(schema)) throw invalid(where, "must be a schema: an object, true or false");
    const base = names.enter(schema, outerBase);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value !== undefined) checkValue(keyword, value, `${where}/${keyword}`, base);
    }
    for (const [child, keyword, name] of subschemasOf(schema)) {
      const place = `${where}/${keyword}${name === undefined ? "" : `/${name}`}`;
      if (keyword === "patternProperties" && !isPattern(name)) {
        throw invalid(place, "must be named by a regular expression");
      }
      if (keyword === "dependencies") {
        if (Array.isArray(child)) continue;
        const isTwice =
          dialect !== "draft-07" && Object.hasOwn(Object(schema["dependentSchemas"]) as object, name as string);
        if (isTwice) throw invalid(place, "is in `dependentSchemas`, too");
      }
      if (child !== undefined) visit(child, place, base);
    }
  }

  function checkValue(keyword: string, value: unknown, place: string, base: string): void {
    if (keyword === "$schema") checkDialect(value, place);
    if (keyword === "items" && Array.isArray(value) && dialect === "draft/2020-12") {
      throw invalid(place, "must be one schema: write `prefixItems` for a tuple");
    }
    const rule = VALUES.find(([keywords]) => keywords.test(keyword));
    if (rule === undefined) return;
    const [, what, fits] = rule;
    if (!fits(value)) throw invalid(place, `must be ${what}`);
    if (keyword.endsWith("ef")) references.push([value as string, place, base]);
  }

  function checkDialect(value: unknown, place: string): void {
    const known = dialectOf(value);
    if (known === undefined) {
      throw new UsageError(
        "UNSUPPORTED_DIALECT",
        `The dialect ${JSON.stringify(value)} is not supported: use 2020-12 (leave out \`$schema\`), 2019-09 or draft-07.`,
      );
    }
    if (known !== dialect) throw invalid(place, "must be the dialect of the whole schema");
  }
}

function dialectOf(uri: unknown = "https://json-schema.org/draft/2020-12/schema"): string | undefined {
  return typeof uri === "string" ? DIALECTS.exec(uri)?.[1] : undefined;
}

function isType(value: unknown): boolean {
  const names = [value].flat();
  return names.length > 0 && names.every((name) => TYPES.includes(name as string));
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  // As the validator has it: with the flag that JSON Schema asks for if possible, without it otherwise.
  return ["u", ""].some((flags) => {
    try {
      new RegExp(value, flags).test("");
      return true;
    } catch {
      return false;
    }
  });
}

function expectSmall(count: number, most: number, of: string): void {
  if (count > most) throw invalid("#", `has more than ${most} ${of}`);
}

function invalid(where: string, what: string): UsageError {
  return new UsageError("INVALID_SCHEMA", `Invalid JSON Schema: \`${where}\` ${what}.`);
}
