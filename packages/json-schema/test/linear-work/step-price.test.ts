import { describe, expect, it } from "vitest";
import { findExcess, measure } from "../../../../test/linear-growth.ts";
import { UNTRUSTED_LIMITS } from "../../src/read/limits.ts";
import { readSchema } from "../../src/read/read-schema.ts";
import type { SchemaNode } from "../../src/read/schema-node.ts";
import { countSteps } from "./count-steps.ts";
import { list, record } from "../../../../test/large-values.ts";

// The budget of untrusted schemas counts steps in place of time. That is worth something only if no schema can make steps
// take as long as it likes. So everything that can be large in a schema is made large, in pairs, in every place from which it
// may be looked at more than once, and the time is compared with the steps.

type Schema = Record<string, unknown>;

/** The parts of a schema that can be large. Properties are called `p…`, so other names belong to no property. */
const LARGE: Readonly<Record<string, (size: number) => Schema>> = {
  required: (size) => ({ required: list(size, (n) => `r${n}`) }),
  properties: (size) => ({ properties: record(size, "p", () => true) }),
  "properties with one value each": (size) => ({ properties: record(size, "p", () => ({ const: 1 })) }),
  "a property with many values": (size) => ({ properties: { p0: { enum: list(size, (n) => n) } } }),
  "a property with a long value": (size) => ({ properties: { p0: { const: "x".repeat(size) } } }),
  patternProperties: (size) => ({ patternProperties: record(size / 16, "^p", () => true) }),
  dependentRequired: (size) => ({ dependentRequired: { p0: list(size, (n) => `r${n}`) } }),
  "dependentRequired of many": (size) => ({ dependentRequired: record(size, "p", () => ["r"]) }),
  dependentSchemas: (size) => ({ dependentSchemas: record(size, "p", () => true) }),
  enum: (size) => ({ enum: list(size, (n) => `e${n}`) }),
  "enum of objects": (size) => ({ enum: list(size, (n) => ({ p0: n })) }),
  "enum of long texts": (size) => ({ enum: list(16, (n) => `${"x".repeat(size)}${n}`) }),
  const: (size) => ({ const: record(size, "p", (n) => n) }),
  prefixItems: (size) => ({ prefixItems: list(size, () => true) }),
  allOf: (size) => ({ allOf: list(size, () => ({ type: ["object", "array", "string"] })) }),
  anyOf: (size) => ({ anyOf: list(size, () => ({ type: "number" })) }),
  "anyOf of objects": (size) => ({ anyOf: list(size, (n) => ({ properties: { p0: { const: `${n}` } } })) }),
  oneOf: (size) => ({ oneOf: list(size, () => ({ minimum: 1, type: "number" })) }),
  pattern: (size) => ({ pattern: `^(?:a|b|${"c?".repeat(size / 64)})*$` }),
};

/** From where a schema, given as a reference to its definition, is looked at. */
const PLACES: Readonly<Record<string, (schema: Schema) => Schema>> = {
  "in allOf": (schema) => ({ allOf: list(16, () => ({ ...schema })) }),
  "in anyOf": (schema) => ({ anyOf: [schema, { ...schema }] }),
  "in oneOf, next to others": (schema) => ({ oneOf: [schema, { type: "null" }, { ...schema }] }),
  "in allOf of anyOf": (schema) => ({ allOf: list(8, () => ({ anyOf: [{ ...schema }, { ...schema }] })) }),
  "in if": (schema) => ({ if: { not: schema }, else: { ...schema } }),
  "of every member": (schema) => ({ items: schema, additionalProperties: schema }),
  "of every name": (schema) => ({ propertyNames: schema }),
  "in contains": (schema) => ({ contains: schema, minContains: 2 }),
  "next to unevaluatedProperties": (schema) => ({ anyOf: [schema, { ...schema }], unevaluatedProperties: false }),
};

/** The values that may be checked by it. */
const VALUES: Readonly<Record<string, (size: number) => unknown>> = {
  "an object": () => ({ x: 1 }),
  "a large object": (size) => record(size, "p", (n) => n),
  objects: (size) => list(size / 64, () => ({ p0: 1, p1: { p0: 1 } })),
  "a text": (size) => `${"ab".repeat(size / 2)}!`,
};

/** All places of a schema that is large in two ways. */
function readPlaces(one: string, other: string, size: number): SchemaNode {
  const large = { ...LARGE[one]?.(size), ...LARGE[other]?.(size) };
  const properties = Object.fromEntries(
    Object.entries(PLACES).map(([name, place]) => [name, place({ $ref: "#/$defs/large" })]),
  );
  const limits = { ...UNTRUSTED_LIMITS, maxSize: Infinity, maxSubschemas: Infinity };
  return readSchema({ properties, $defs: { large } }, { limits, isUntrusted: true });
}

/** How large things are at first, and how many steps may be taken in all for each part of something large. */
const SIZE = 2_048;
const STEPS = 25;

/** Milliseconds that a step takes at most, on a slow machine. What takes longer is looked at more closely. */
const TIME_PER_STEP = 0.001;

/** Finds the value that takes too long for a schema that is large in two ways, if there is one. */
function findHole(one: string, other: string): string | undefined {
  const { properties = new Map<string, SchemaNode>() } = readPlaces(one, other, SIZE);
  for (const [place, node] of properties) {
    for (const [what, makeValue] of Object.entries(VALUES)) {
      const value = makeValue(SIZE);
      let steps = 0;
      const time = measure(() => (steps = countSteps(node, value, SIZE * STEPS)), 0, 1);
      if (time <= 1 + steps * TIME_PER_STEP) continue;
      const excess = findExcess(
        (size) => ({ node: readPlaces(one, other, size).properties?.get(place), value: makeValue(size), size }),
        (input) => countSteps(input.node ?? node, input.value, input.size * STEPS),
        SIZE * 8,
      );
      if (excess !== undefined) return `${one} and ${other}, ${place}, of ${what}: ${excess}`;
    }
  }
  return undefined;
}

const kinds = Object.keys(LARGE);

describe("the time that a large schema takes", () => {
  it.each(kinds)(
    "is in proportion to the steps that are counted: %s, alone and next to everything else",
    (one) => {
      const holes = kinds.slice(kinds.indexOf(one)).map((other) => findHole(one, other));
      expect(holes.filter((hole) => hole !== undefined)).toEqual([]);
    },
    120_000,
  );
});
