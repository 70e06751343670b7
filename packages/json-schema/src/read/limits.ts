import { invalidSchema } from "../error.ts";

/** Limits on the work that a schema may cause. */
export interface SchemaLimits {
  /** How deep the schema document may be nested. Default 100. */
  readonly maxDepth: number;
  /** How many characters the schema document may have as JSON, roughly. Default one million. */
  readonly maxSize: number;
  /** How many subschemas there may be. Default 10,000. */
  readonly maxSubschemas: number;
  /**
   * How many steps checking one value may take. Default ten million, about a second of work at worst; two million if the
   * schema is untrusted. A value that takes more is refused with an issue of the kind `too-complex`.
   */
  readonly maxSteps: number;
}

/** The limits for schemas of one's own. */
export const DEFAULT_LIMITS: SchemaLimits = {
  maxDepth: 100,
  maxSize: 1_000_000,
  maxSubschemas: 10_000,
  maxSteps: 10_000_000,
};

/** Fewer steps, a few tenths of a second at worst, because the schema may be hostile. A value of a million parts still passes. */
export const UNTRUSTED_LIMITS: SchemaLimits = { ...DEFAULT_LIMITS, maxSteps: 2_000_000 };

/** Refuses a document that is too deep or too large, before any recursive function reads it. */
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
