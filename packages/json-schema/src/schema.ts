import type { SchemaIssue } from "./issues/issue.ts";

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
 * Compiles JSON Schemas into functions that validate values. This package has several: `jsonSchemaValidator`,
 * `untrustedSchemaValidator`, and `createAjvValidator` of `@toolwire/json-schema/ajv`. Anything else that has this method
 * can take their place.
 */
export interface SchemaValidator {
  /**
   * Checks the schema itself, at once. Work that only validation needs may wait for the first value.
   *
   * @throws SchemaError `INVALID_SCHEMA` or `UNSUPPORTED_DIALECT`
   */
  compile(schema: JsonSchema): Validate;
}

/** Whether a value is a JSON object: neither `null` nor an array. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
