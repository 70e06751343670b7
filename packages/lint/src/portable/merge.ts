import { isObject } from "@toolwire/protocol/internal";
import { measureJson } from "../walk/measure.ts";
import type { Keywords } from "../walk/schema-nodes.ts";

/** Larger schemas are not compared: they count as different. */
const MOST_COMPARED = 16_384;

/**
 * Makes one object of several: with all properties. After `allOf`, it requires what any of them requires; after a union, what all of
 * them require. The result may accept more than the parts, and never less. `written` is `all` for parts that are rewritten already: of
 * two schemas of one property, the one that says more stands for both.
 */
export function mergeObjects(parts: readonly Keywords[], way: "all" | "any" | "written"): Keywords {
  const cases = new Map<string, unknown[]>();
  for (const { properties } of parts) {
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      const known = cases.get(name);
      if (known === undefined) cases.set(name, [schema]);
      else if (!known.some((other) => isSame(other, schema))) known.push(schema);
    }
  }
  const properties = [...cases].map(([name, schemas]): [string, unknown] => [name, joinSchemas(schemas, way)]);
  const named = parts.map(({ required }) => new Set(Array.isArray(required) ? (required as readonly unknown[]) : []));
  const required = [...cases.keys()].filter((name) =>
    way === "any" ? named.every((each) => each.has(name)) : named.some((each) => each.has(name)),
  );
  const isClosed = way === "any" && parts.length > 0 && parts.every((part) => part["additionalProperties"] === false);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
  };
}

function joinSchemas(schemas: readonly unknown[], way: "all" | "any" | "written"): unknown {
  if (schemas.length === 1) return schemas[0];
  if (way !== "written") return way === "all" ? { allOf: schemas } : { anyOf: schemas };
  return schemas.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0];
}

function sizeOf(schema: unknown): number {
  return isObject(schema) ? Object.keys(schema).length : 0;
}

/** Whether all parts describe objects. One that says nothing about its type, and has properties or requires some, does. */
export function areObjects(parts: readonly Keywords[]): boolean {
  return parts.every(({ type, properties, required, anyOf, oneOf, allOf, $ref }) => {
    const isPlain = [anyOf, oneOf, allOf, $ref].every((each) => each === undefined);
    if (!isPlain) return false;
    return type === "object" || (type === undefined && (isObject(properties) || Array.isArray(required)));
  });
}

/** Whether two schemas are written in the same way. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (measureJson(one) > MOST_COMPARED || measureJson(other) > MOST_COMPARED) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}
