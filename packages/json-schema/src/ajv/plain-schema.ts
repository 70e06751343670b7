import type { Pattern } from "../patterns/pattern.ts";
import { SchemaNode, type AllowedValues } from "../read/schema-node.ts";

/** JSON Schema as ajv takes it. */
type PlainSchema = boolean | { [keyword: string]: unknown };

/** Nodes written as JSON Schema again. */
export interface PlainDocument {
  readonly schema: PlainSchema;
  /** The patterns in the schema, by their source. */
  readonly patterns: ReadonlyMap<string, Pattern>;
}

/**
 * Writes nodes as a 2020-12 document in which every keyword was checked, and every reference leads to `$defs`. Leaves out
 * identifiers, anchors, annotations and keywords that only ajv knows (`$async`, `nullable`).
 */
export function writePlainSchema(root: SchemaNode): PlainDocument {
  const definitions: PlainSchema[] = [];
  const references = new Map<SchemaNode, string>();
  const patterns = new Map<string, Pattern>();
  const schema = write(root);
  return {
    schema: typeof schema === "boolean" ? schema : { ...schema, $defs: Object.fromEntries(definitions.entries()) },
    patterns,
  };

  function write(node: SchemaNode): PlainSchema {
    if (node.never || node.enum?.list.length === 0) return false;
    const keywords = Object.entries(node).filter(([name, value]) => value !== undefined && name !== "never");
    return Object.fromEntries(keywords.map(([name, value]) => [RENAMED.get(name) ?? name, writeValue(name, value)]));
  }

  function writeValue(name: string, value: unknown): unknown {
    switch (name) {
      case "$ref":
        return refer(value as SchemaNode);
      case "const":
        return (value as AllowedValues).list[0];
      case "enum":
        return (value as AllowedValues).list;
      case "format":
        return (value as { name: string }).name;
      case "pattern":
        return keep(value as Pattern);
      case "patternProperties": {
        const members = value as ReadonlyMap<Pattern, SchemaNode>;
        return Object.fromEntries([...members].map(([pattern, member]) => [keep(pattern), write(member)]));
      }
      default:
        return writeMembers(value);
    }
  }

  function writeMembers(value: unknown): unknown {
    if (value instanceof SchemaNode) return write(value);
    if (Array.isArray(value)) return value.map(writeMembers);
    if (value instanceof Set) return [...value];
    if (!(value instanceof Map)) return value;
    return Object.fromEntries([...value].map(([name, member]) => [name, writeMembers(member)]));
  }

  function refer(target: SchemaNode): string {
    const known = references.get(target);
    if (known !== undefined) return known;
    const index = definitions.push(true) - 1;
    const reference = `#/$defs/${index}`;
    references.set(target, reference);
    definitions[index] = write(target);
    return reference;
  }

  function keep(pattern: Pattern): string {
    patterns.set(pattern.source, pattern);
    return pattern.source;
  }
}

const RENAMED: ReadonlyMap<string, string> = new Map([
  ["whenTrue", "then"],
  ["whenFalse", "else"],
]);
