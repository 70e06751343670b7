import { invalidSchema, SchemaError } from "../error.ts";
import { step, type Place } from "../issues/issue.ts";
import { showValue } from "../issues/words.ts";
import { compilePattern, type Pattern } from "../patterns/pattern.ts";
import { isObject } from "../schema.ts";
import { readList, readMap, readString } from "./keyword-values.ts";
import { KEYWORDS, type KeywordReader } from "./keywords.ts";
import { measureDocument, type SchemaLimits } from "./limits.ts";
import { References } from "./references.ts";
import { SchemaNode } from "./schema-node.ts";
import { isRawSchema, type RawSchema, type SchemaObject } from "./subschemas.ts";

/** The supported versions of JSON Schema. */
export type Dialect = "2020-12" | "2019-09" | "draft-07";

/** The dialect that MCP assumes for a schema without `$schema`. */
const DEFAULT_DIALECT: Dialect = "2020-12";

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
]);

/** Reads `$schema`. The scheme and an empty fragment make no difference: all forms are in wide use. */
function readDialect($schema: unknown): Dialect {
  if ($schema === undefined) return DEFAULT_DIALECT;
  const dialect =
    typeof $schema === "string" ? DIALECTS.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
  if (dialect === undefined) {
    const supported = [...DIALECTS.keys()].map((uri) =>
      uri.includes("draft-07") ? `http://${uri}#` : `https://${uri}`,
    );
    throw new SchemaError(
      "UNSUPPORTED_DIALECT",
      `$schema is ${JSON.stringify($schema)}; supported are ${supported.join(", ")}. Without $schema, 2020-12 is assumed.`,
    );
  }
  return dialect;
}

/** How to read a schema. */
export interface ReadOptions {
  readonly limits: SchemaLimits;
  /** Whether somebody else wrote the schema. It may be hostile. */
  readonly isUntrusted: boolean;
  /**
   * Whether `format` is checked. Default: in trusted schemas, and in untrusted ones of draft-07. Since 2019-09 it is an
   * annotation, so an honest server may send values that do not have the format.
   */
  readonly assertFormats?: boolean | undefined;
}

/**
 * Reads a schema document into nodes. Refuses one that is not valid in its dialect, not self-contained, or beyond the limits.
 *
 * @throws SchemaError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
 */
export function readSchema(document: unknown, options: ReadOptions): SchemaNode {
  measureDocument(document, options.limits);
  return new SchemaReader(document, options).root;
}

/** The memory that all patterns of one schema may take together, in small objects. */
const MAX_PATTERN_SIZE = 50_000;

class SchemaReader implements KeywordReader {
  readonly root: SchemaNode;
  readonly dialect: Dialect;
  readonly assertsFormats: boolean;
  readonly #options: ReadOptions;
  readonly #references: References;
  readonly #nodes = new Map<RawSchema, SchemaNode>();
  #patternSize = 0;
  /** Targets of references wait here, so that a long chain of them does not become deep recursion. */
  readonly #waiting: { node: SchemaNode; raw: RawSchema; place: Place }[] = [];

  constructor(document: unknown, options: ReadOptions) {
    const schema = isObject(document) ? document : {};
    this.#options = options;
    this.dialect = readDialect(schema["$schema"]);
    this.assertsFormats = options.assertFormats ?? (!options.isUntrusted || this.dialect === "draft-07");
    this.#references = new References(schema, this.dialect);
    this.root = this.readNode(document, undefined);
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#fill(next.node, next.raw, next.place);
    }
  }

  readNode(value: unknown, place: Place | undefined): SchemaNode {
    if (!isRawSchema(value)) {
      throw invalidSchema(place, `must be a schema (an object, true or false), not ${showValue(value)}`);
    }
    const known = this.#nodes.get(value);
    if (known !== undefined) return known;
    const node = this.#register(value);
    this.#fill(node, value, place);
    return node;
  }

  readNodes(value: unknown, place: Place): readonly SchemaNode[] {
    return readList(value, place).map((item, index) => this.readNode(item, step(place, index)));
  }

  readNamedNodes(value: unknown, place: Place): ReadonlyMap<string, SchemaNode> {
    return new Map(readMap(value, place).map(([name, member]) => [name, this.readNode(member, step(place, name))]));
  }

  readPattern(value: unknown, place: Place): Pattern {
    const source = readString(value, place);
    try {
      const pattern = compilePattern(source, this.#options.isUntrusted);
      this.#patternSize += pattern.size;
      if (this.#patternSize > MAX_PATTERN_SIZE) throw new Error("too many large patterns in one schema");
      return pattern;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw invalidSchema(place, `the pattern ${showValue(source)} cannot be used: ${reason}`, cause);
    }
  }

  readReference(reference: unknown, place: Place, schema: SchemaObject): SchemaNode {
    const source = readString(reference, place);
    const raw = this.#references.resolve(source, schema, place);
    const known = this.#nodes.get(raw);
    if (known !== undefined) return known;
    const node = this.#register(raw);
    this.#waiting.push({ node, raw, place: step(place, source) });
    return node;
  }

  #register(raw: RawSchema): SchemaNode {
    const { maxSubschemas } = this.#options.limits;
    if (this.#nodes.size >= maxSubschemas) throw invalidSchema(undefined, `more than ${maxSubschemas} subschemas`);
    const node = new SchemaNode();
    this.#nodes.set(raw, node);
    return node;
  }

  #fill(node: SchemaNode, raw: RawSchema, place: Place | undefined): void {
    if (typeof raw === "boolean") {
      node.never = !raw;
      return;
    }
    const { $schema } = raw;
    if ($schema !== undefined && readDialect($schema) !== this.dialect) {
      throw invalidSchema(
        step(place, "$schema"),
        `one document cannot mix dialects, and its root is in ${this.dialect}`,
      );
    }
    // In draft-07, keywords next to `$ref` are ignored.
    const isReference = this.dialect === "draft-07" && raw["$ref"] !== undefined;
    for (const name of isReference ? ["$ref"] : Object.keys(raw)) {
      const keyword = KEYWORDS.get(name);
      if (keyword?.dialects.includes(this.dialect) && raw[name] !== undefined) {
        keyword.apply(node, raw[name], step(place, name), this, raw);
      }
    }
  }
}
