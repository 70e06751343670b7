import { subschemasOf } from "@toolwire/json-schema/internal";
import { isObject } from "@toolwire/protocol/internal";
import type { Path } from "../finding.ts";

/** The keywords of a schema. */
export type Keywords = Readonly<Record<string, unknown>>;

/** A place of a schema in a document. */
export interface SchemaNode {
  /** `{}` stands for `true`. */
  readonly schema: Keywords;
  readonly path: Path;
  /** How many objects and lists it is nested in. The root is at 0. */
  readonly level: number;
  /** The keyword that holds it. `undefined` at the root. */
  readonly keyword: string | undefined;
  /** Its name, if it is a property. */
  readonly property: string | undefined;
  /** Whether the object around it requires it. */
  readonly isRequired: boolean;
  /** The whole document, in which references lead somewhere. */
  readonly root: Keywords;
}

/** A document may be written by anybody: beyond these numbers of places and levels it is not read. */
const MAX_NODES = 5_000;
export const MAX_LEVELS = 64;

/** Keywords that hold values one level down. Others describe the same value. */
const DEEPER: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
]);

/** Lists the places of schemas in a document, level by level. It follows no references, so that each place comes once. */
export function listSchemaNodes(root: Keywords): {
  readonly nodes: readonly SchemaNode[];
  readonly isComplete: boolean;
} {
  const first: SchemaNode = {
    schema: root,
    path: [],
    level: 0,
    keyword: undefined,
    property: undefined,
    isRequired: true,
    root,
  };
  const nodes: SchemaNode[] = [first];
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!;
    if (node.path.length >= 2 * MAX_LEVELS) return { nodes, isComplete: false };
    const { required } = node.schema;
    for (const [value, keyword, name] of subschemasOf(node.schema)) {
      if (nodes.length >= MAX_NODES) return { nodes, isComplete: false };
      if (!isObject(value) && value !== true) continue;
      const isProperty = keyword === "properties";
      const place = name === undefined ? [] : [Array.isArray(node.schema[keyword]) ? Number(name) : name];
      nodes.push({
        schema: value === true ? {} : value,
        path: [...node.path, keyword, ...place],
        level: node.level + (DEEPER.has(keyword) ? 1 : 0),
        keyword,
        property: isProperty ? name : undefined,
        isRequired: isProperty && Array.isArray(required) && required.includes(name),
        root,
      });
    }
  }
  return { nodes, isComplete: true };
}

/** The types that a schema names. Anything that is no name of a type is left out. */
export function typesOf({ type }: Keywords): readonly string[] {
  const given: readonly unknown[] = Array.isArray(type) ? type : [type];
  return given.filter((each) => typeof each === "string");
}
