export { jsonSchema } from "./any-schema.ts";
export type { AnySchema, InferInput, InferOutput, JsonSchemaOf, StandardSchema } from "./any-schema.ts";
export { describeSchema, isStandardSchema } from "./describe-schema.ts";
export type { SchemaDescription } from "./describe-schema.ts";
export type { SchemaDirection } from "./library-options.ts";
export { describeIssues } from "./issue.ts";
export { subschemaHolder, type SubschemaHolder } from "./subschema-holder.ts";
export type { IssueKind, SchemaIssue } from "./issue.ts";
export type { JsonSchema, JsonSchemaObject, SchemaValidator, Validate, Validation } from "./validator.ts";
