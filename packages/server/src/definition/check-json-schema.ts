import { isObject, subschemaHolder, UsageError, type JsonSchema } from "@toolwire/protocol";

/** The dialects that the validator understands. */
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/2020-12\/schema|draft\/2019-09\/schema|draft-07\/schema)#?$/;

const MAX_DEPTH = 100;
const MAX_SUBSCHEMAS = 10_000;

const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

/**
 * Checks the form of a JSON Schema while the server is being defined, without the validator, which may not be loaded:
 * dialect, keyword values, references that point nowhere, size. The validator itself looks again.
 *
 * @throws UsageError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
 */
export function checkJsonSchema(root: JsonSchema): void {
  if (typeof root === "boolean") return;
  const dialect = root["$schema"];
  if (dialect !== undefined && (typeof dialect !== "string" || !DIALECTS.test(dialect))) {
    throw new UsageError(
      "UNSUPPORTED_DIALECT",
      `The dialect ${JSON.stringify(dialect)} is not supported: use JSON Schema 2020-12 (leave out \`$schema\`), 2019-09 or draft-07.`,
    );
  }
  new SchemaWalk(root).visit(root, "#", 0);
}

type Keywords = { readonly [keyword: string]: unknown };

class SchemaWalk {
  readonly #root: Keywords;
  #count = 0;

  constructor(root: Keywords) {
    this.#root = root;
  }

  visit(schema: unknown, where: string, depth: number): void {
    if (typeof schema === "boolean") return;
    if (!isObject(schema)) throw invalid(where, "must be a schema: an object of keywords, true or false");
    if (depth > MAX_DEPTH || ++this.#count > MAX_SUBSCHEMAS) {
      throw invalid(where, `is too large: at most ${MAX_DEPTH} levels and ${MAX_SUBSCHEMAS} subschemas are allowed`);
    }
    this.#checkKeywords(schema, where);
    for (const [keyword, value] of Object.entries(schema)) {
      const holder = subschemaHolder(keyword);
      const place = `${where}/${keyword}`;
      if (holder === "map") {
        if (!isObject(value)) throw invalid(place, "must be an object whose values are schemas");
        for (const [name, child] of Object.entries(value)) {
          const isListOfNames = keyword === "dependencies" && Array.isArray(child);
          if (!isListOfNames) this.visit(child, `${place}/${name}`, depth + 1);
        }
      } else if (holder === "list" || (keyword === "items" && Array.isArray(value))) {
        if (!Array.isArray(value) || value.length === 0) throw invalid(place, "must be a list of one or more schemas");
        for (const [index, child] of value.entries()) this.visit(child, `${place}/${index}`, depth + 1);
      } else if (holder === "one") this.visit(value, place, depth + 1);
    }
  }

  #checkKeywords(schema: Keywords, where: string): void {
    const { type, required, enum: values, pattern, $ref } = schema;
    if (type !== undefined && ![type].flat().every((name) => TYPES.includes(name as string))) {
      throw invalid(`${where}/type`, `must be one of ${TYPES.join(", ")}, or a list of them`);
    }
    if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string"))) {
      throw invalid(`${where}/required`, "must be a list of property names on the object itself");
    }
    if (values !== undefined && !Array.isArray(values)) throw invalid(`${where}/enum`, "must be a list of values");
    if (pattern !== undefined && !isPattern(pattern)) throw invalid(`${where}/pattern`, "must be a regular expression");
    if ($ref !== undefined) this.#checkReference($ref, `${where}/$ref`);
  }

  /** Nothing is ever fetched, so a reference has to point into the document. */
  #checkReference(reference: unknown, where: string): void {
    if (typeof reference !== "string") throw invalid(where, "must be a string");
    if (reference === "#") return;
    const [base, fragment = ""] = reference.split("#", 2);
    if (base === "" && fragment.startsWith("/")) {
      if (this.#resolve(fragment) === undefined) throw invalid(where, `points to ${reference}, where there is nothing`);
    } else if (base !== "" && !JSON.stringify(this.#root).includes('"$id"')) {
      throw invalid(
        where,
        `points outside of the schema, to ${reference}, which is never fetched: put it under \`$defs\``,
      );
    }
  }

  #resolve(pointer: string): unknown {
    let here: unknown = this.#root;
    for (const part of pointer.slice(1).split("/")) {
      const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
      here = here[key as never];
    }
    return here;
  }
}

/** A pointer in a reference is also percent-encoded (RFC 6901, section 6). */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    new RegExp(value, "u").test("");
    return true;
  } catch {
    return false;
  }
}

function invalid(where: string, what: string): UsageError {
  return new UsageError("INVALID_SCHEMA", `Invalid JSON Schema: \`${where}\` ${what}.`);
}
