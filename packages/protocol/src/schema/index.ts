/**
 * Schemas of any kind, those of libraries and plain JSON Schema: what to show to the other side, and what to check with.
 *
 * @packageDocumentation
 */
export { jsonSchema } from "./any-schema.ts";
export type { AnySchema, InferInput, InferOutput, JsonSchemaOf, StandardSchema } from "./any-schema.ts";
export { describeSchema, isStandardSchema, refuseObjectOfSchemas } from "./describe-schema.ts";
export type { SchemaDescription } from "./describe-schema.ts";
export { describeIssues } from "./issue.ts";
export type { IssueKind, SchemaIssue } from "./issue.ts";
export { findNearestName } from "./nearest-name.ts";
export type { SchemaDirection } from "./library-options.ts";
export { subschemasOf, type Subschema } from "./subschemas-of.ts";
export type { JsonSchema, JsonSchemaObject, SchemaValidator, Validate, Validation } from "./validator.ts";
