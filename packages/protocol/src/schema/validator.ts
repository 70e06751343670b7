import type { SchemaIssue } from "./issue.ts";

/** A JSON Schema written as an object of keywords. */
export interface JsonSchemaObject {
  readonly [keyword: string]: unknown;
  /** Tells a schema of a library, which describes itself, from plain JSON Schema. */
  readonly "~standard"?: never;
}

/** A JSON Schema: keywords, or `true` for anything and `false` for nothing. */
export type JsonSchema = JsonSchemaObject | boolean;

/** The outcome of a validation: the value to use, or everything that is wrong with it. */
export type Validation<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Checks one value. Never throws, whatever JSON is given. */
export type Validate<T = unknown> = (value: unknown) => Validation<T>;

/**
 * Compiles JSON Schemas into functions that validate values. `@toolwire/protocol/json-schema` has one. You can replace
 * it with anything that implements this method.
 */
export interface SchemaValidator {
  /**
   * Checks the schema itself, at once; work that only validation needs may wait until the first value comes.
   *
   * @throws UsageError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
   */
  compile(schema: JsonSchema): Validate;
}
