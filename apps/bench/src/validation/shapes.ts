/** Arguments and results of tools as people write them, by plain JSON Schema. */

/** A schema, and values that fit it. */
export interface Shape {
  readonly title: string;
  readonly schema: { readonly [keyword: string]: unknown };
  /** Several, so that no engine can take the value for a constant. */
  readonly values: readonly unknown[];
}

const VARIANTS = 8;

const text = { type: "string" };
const number = { type: "number" };

function object(properties: object, required: readonly string[] = Object.keys(properties)): object {
  return { type: "object", properties, required, additionalProperties: false };
}

function vary(make: (variant: number) => unknown): readonly unknown[] {
  return Array.from({ length: VARIANTS }, (_, variant) => make(variant));
}

function fields<T>(prefix: string, count: number, make: (index: number) => T): { readonly [name: string]: T } {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, make(index)]));
}

const KINDS = ["created", "updated", "deleted", "moved"];

/** The shapes to measure, in the order of the report. */
export const SHAPES: readonly Shape[] = [
  {
    title: "3 fields",
    schema: {
      ...object({
        city: text,
        days: { type: "integer", minimum: 1, maximum: 14 },
        units: { enum: ["metric", "imperial"] },
      }),
      required: ["city"],
    },
    values: vary((variant) => ({ city: `City ${variant}`, days: 1 + variant, units: "metric" })),
  },
  {
    title: "20 fields, some nested",
    schema: {
      ...object({
        ...fields("text", 10, () => ({ type: "string", maxLength: 100 })),
        ...fields("number", 5, () => ({ type: "number", minimum: 0 })),
        ...fields("group", 5, () => object({ name: text, weight: number, tags: { type: "array", items: text } })),
      }),
    },
    values: vary((variant) => ({
      ...fields("text", 10, (index) => `value ${index} of ${variant}`),
      ...fields("number", 5, (index) => index + variant),
      ...fields("group", 5, (index) => ({ name: `group ${index}`, weight: variant / 2, tags: ["a", "b", "c"] })),
    })),
  },
  {
    title: "array of 100 objects",
    schema: {
      ...object({
        rows: {
          type: "array",
          items: object({ id: { type: "integer" }, name: text, price: number, tags: { type: "array", items: text } }),
        },
      }),
    },
    values: vary((variant) => ({
      rows: Array.from({ length: 100 }, (_, row) => ({
        id: row,
        name: `row ${row} of ${variant}`,
        price: row / 2,
        tags: ["a", "b"],
      })),
    })),
  },
  {
    title: "union, formats, pattern",
    schema: {
      ...object({
        event: {
          oneOf: KINDS.map((kind) =>
            object({
              kind: { const: kind },
              id: { type: "string", format: "uuid" },
              at: { type: "string", format: "date-time" },
              by: { type: "string", format: "email" },
              slug: { type: "string", pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" },
            }),
          ),
        },
      }),
    },
    values: vary((variant) => ({
      event: {
        kind: KINDS[variant % KINDS.length],
        id: `123e4567-e89b-42d3-a456-42661417400${variant}`,
        at: `2026-07-28T09:30:0${variant}Z`,
        by: `name${variant}@example.org`,
        slug: `some-thing-${variant}`,
      },
    })),
  },
];
