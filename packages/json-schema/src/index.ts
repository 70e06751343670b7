/**
 * JSON Schema validation with a bound on all work: 2020-12 by default, 2019-09 and draft-07 where `$schema` says so; and one way
 * to use plain schemas and those of libraries such as zod, valibot and arktype.
 *
 * @packageDocumentation
 */
import { createJsonSchemaValidator } from "./check/validator.ts";
import type { SchemaValidator } from "./schema.ts";

export { createJsonSchemaValidator, type JsonSchemaValidatorOptions } from "./check/validator.ts";
export { SchemaError, type SchemaErrorCode } from "./error.ts";
export { checkForm, formDefaults, type FormContent } from "./forms/check-form.ts";
export { explainUnfitForm, toForm, type Form } from "./forms/form.ts";
export { describeIssues, type IssueKind, type SchemaIssue } from "./issues/issue.ts";
export { describeSchema, isStandardSchema, type SchemaDescription } from "./libraries/describe-schema.ts";
export type { SchemaDirection } from "./libraries/options.ts";
export { jsonSchema } from "./libraries/standard-schema.ts";
export type { AnySchema, InferInput, InferOutput, JsonSchemaOf, StandardSchema } from "./libraries/standard-schema.ts";
export type { SchemaLimits } from "./read/limits.ts";
export type { JsonSchema, JsonSchemaObject, SchemaValidator, Validate, Validation } from "./schema.ts";

/** Validates values against schemas of your own. */
export const jsonSchemaValidator: SchemaValidator = /* @__PURE__ */ createJsonSchemaValidator();

/** Validates values against schemas that somebody else wrote, such as those of a server that a client connects to. */
export const untrustedSchemaValidator: SchemaValidator = /* @__PURE__ */ createJsonSchemaValidator({ untrusted: true });
