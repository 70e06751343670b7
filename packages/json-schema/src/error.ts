import { brandError, isBrandedInstance } from "./brand.ts";
import { writePlace, type Place } from "./issues/issue.ts";

/** The codes of {@link SchemaError}. */
export type SchemaErrorCode =
  /** A schema that is not valid in its dialect, not self-contained, or beyond the limits. */
  | "INVALID_SCHEMA"
  /** A schema in a dialect that is not supported. */
  | "UNSUPPORTED_DIALECT";

/**
 * A schema that cannot be used. The message says where and why, and what to write instead.
 *
 * Through its brand, the error is also an instance of `ToolwireError` and `UsageError` of `@toolwire/protocol`. It does not
 * extend them, because this package depends on no other package of ours.
 */
export class SchemaError extends Error {
  static {
    brandError(this, "ToolwireError", "UsageError", "SchemaError");
  }

  /** Recognises errors of other copies of this package by their brand. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBrandedInstance(this, value);
  }

  override readonly name: string = "SchemaError";
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Makes the error for a schema that breaks a rule at `place`. */
export function invalidSchema(place: Place | undefined, problem: string, cause?: unknown): SchemaError {
  const where = writePlace(place);
  return new SchemaError(
    "INVALID_SCHEMA",
    `Invalid JSON Schema${where === "" ? "" : ` at ${where}`}: ${problem}.`,
    cause === undefined ? undefined : { cause },
  );
}
