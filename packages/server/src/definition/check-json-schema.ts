import { isObject, UsageError, type JsonSchema } from "@toolwire/protocol";
import { subschemasOf } from "@toolwire/protocol/schema";
import { NO_BASE, SchemaReferences, type Keywords } from "./schema-references.ts";

/** The dialects that the validator understands. */
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft\/2019-09|draft-07)\/schema#?$/;

const MAX_DEPTH = 100;
const MAX_SUBSCHEMAS = 10_000;

const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** What the values of keywords have to be. Those that hold schemas are looked into, all others may be anything. */
const VALUES: readonly (readonly [keywords: RegExp, what: string, fits: (value: unknown) => boolean])[] = [
  [/^type$/, `one of ${TYPES.join(", ")}, or a list of them`, isType],
  [/^(min|max)(Length|Items|Properties|Contains)$/, "a whole number of at least 0", isCount],
  [/^(min|max|exclusiveMin|exclusiveMax)imum$/, "a number", Number.isFinite],
  [/^multipleOf$/, "a number above 0", (value) => Number.isFinite(value) && (value as number) > 0],
  [/^required$/, "a list of property names on the object itself", isNames],
  [/^enum$/, "a list of values", Array.isArray],
  [
    /^dependentRequired$/,
    "an object of lists of property names",
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
    "an object whose values are schemas",
    isObject,
  ],
];

/**
 * Checks the form of a JSON Schema while the server is being defined, without the validator, which may not be loaded:
 * dialect, keyword values, references that lead to no schema, size. The validator itself looks again.
 *
 * @throws UsageError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
 */
export function checkJsonSchema(root: JsonSchema): void {
  if (typeof root === "object") new SchemaWalk(root).check();
}

class SchemaWalk {
  readonly #root: Keywords;
  readonly #dialect: string | undefined;
  readonly #names: SchemaReferences;
  readonly #visited = new Set<unknown>();
  readonly #references: { readonly reference: string; readonly where: string; readonly base: string }[] = [];

  constructor(root: Keywords) {
    this.#root = root;
    this.#dialect = dialectOf(root["$schema"]);
    this.#names = new SchemaReferences(root, this.#dialect === "draft-07");
  }

  check(): void {
    this.#visit(this.#root, "#", NO_BASE, 0);
    // There may be more in what they lead to: it can stand where no schemas are expected, as in OpenAPI's `components`.
    for (const { reference, where, base: from } of this.#references) {
      const { target, base } = this.#names.follow(reference, from);
      if (base === undefined) {
        throw invalid(
          where,
          `points outside of the schema, to ${reference}, which is never fetched: put it under \`$defs\``,
        );
      }
      if (target === undefined) throw invalid(where, `points to ${reference}, where there is nothing`);
      this.#visit(target, `${where}: ${reference}`, base, 0);
    }
  }

  #visit(schema: unknown, where: string, outerBase: string, depth: number): void {
    if (typeof schema === "boolean" || this.#visited.has(schema)) return;
    if (!isObject(schema)) throw invalid(where, "must be a schema: an object of keywords, true or false");
    if (depth > MAX_DEPTH || this.#visited.add(schema).size > MAX_SUBSCHEMAS) {
      throw invalid(where, `is too large: ${MAX_DEPTH} levels and ${MAX_SUBSCHEMAS} subschemas are allowed`);
    }
    const base = this.#names.enter(schema, outerBase);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value !== undefined) this.#checkValue(keyword, value, `${where}/${keyword}`, base);
    }
    for (const [child, keyword, name] of subschemasOf(schema)) {
      const place = `${where}/${keyword}${name === undefined ? "" : `/${name}`}`;
      if (keyword === "patternProperties" && !isPattern(name)) {
        throw invalid(place, "must have a regular expression for its name");
      }
      const isListOfNames = keyword === "dependencies" && Array.isArray(child);
      if (child !== undefined && !isListOfNames) this.#visit(child, place, base, depth + 1);
    }
  }

  #checkValue(keyword: string, value: unknown, place: string, base: string): void {
    if (keyword === "$schema") this.#checkDialect(value, place);
    if (keyword === "items" && Array.isArray(value) && this.#dialect === "draft/2020-12") {
      throw invalid(place, "must be one schema: write `prefixItems` for a tuple, or name draft-07 as its `$schema`");
    }
    const rule = VALUES.find(([keywords]) => keywords.test(keyword));
    if (rule === undefined) return;
    const [, what, fits] = rule;
    if (!fits(value)) throw invalid(place, `must be ${what}`);
    if (keyword.endsWith("ef")) this.#references.push({ reference: value as string, where: place, base });
  }

  #checkDialect(dialect: unknown, place: string): void {
    const known = dialectOf(dialect);
    if (known === undefined) {
      throw new UsageError(
        "UNSUPPORTED_DIALECT",
        `The dialect ${JSON.stringify(dialect)} is not supported: use JSON Schema 2020-12 (leave out \`$schema\`), 2019-09 or draft-07.`,
      );
    }
    if (known !== this.#dialect) throw invalid(place, "must be the dialect of the whole schema");
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

function invalid(where: string, what: string): UsageError {
  return new UsageError("INVALID_SCHEMA", `Invalid JSON Schema: \`${where}\` ${what}.`);
}
