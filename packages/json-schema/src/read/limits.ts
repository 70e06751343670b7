import { invalidSchema } from "../error.ts";

/** How much a schema may ask of the machine. */
export interface SchemaLimits {
  /** How deep the schema document may be nested. Default 100. */
  readonly maxDepth: number;
  /** How many characters the schema document may have as JSON, roughly. Default one million. */
  readonly maxSize: number;
  /** How many subschemas there may be. Default 10,000. */
  readonly maxSubschemas: number;
  /**
   * How many steps checking one value may take: always if the schema is untrusted, and otherwise where a hostile value could
   * make it take long, which is with recursive schemas, `uniqueItems`, and patterns that the platform's engine cannot match
   * in linear time. Default ten million, a few tenths of a second of work; two million if the schema is untrusted. A value
   * that takes more is refused with an issue of the kind `too-complex`.
   */
  readonly maxSteps: number;
}

export const DEFAULT_LIMITS: SchemaLimits = {
  maxDepth: 100,
  maxSize: 1_000_000,
  maxSubschemas: 10_000,
  maxSteps: 10_000_000,
};

/** A few tenths of a second at worst, since who wrote the schema may mean harm. A value of a million parts still passes. */
export const UNTRUSTED_LIMITS: SchemaLimits = { ...DEFAULT_LIMITS, maxSteps: 2_000_000 };

/** Refuses a document that is too deep or too large, before anything recursive looks at it. */
export function measureDocument(document: unknown, limits: SchemaLimits): void {
  let size = 0;
  measure(document, 1);

  function measure(value: unknown, depth: number): void {
    size += typeof value === "string" ? value.length + 2 : 2;
    if (typeof value === "object" && value !== null) {
      if (depth > limits.maxDepth) throw invalidSchema(undefined, `nested more than ${limits.maxDepth} levels deep`);
      if (Array.isArray(value)) for (const item of value) measure(item, depth + 1);
      else {
        for (const [key, member] of Object.entries(value)) {
          size += key.length + 2;
          measure(member, depth + 1);
        }
      }
    }
    if (size > limits.maxSize) throw invalidSchema(undefined, `larger than ${limits.maxSize} characters`);
  }
}
