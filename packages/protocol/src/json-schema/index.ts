/**
 * Validation of JSON Schema: 2020-12 by default, 2019-09 and draft-07 where `$schema` says so.
 *
 * The way of a schema: `read/` checks the document and turns it into nodes; `check/` judges values by them, and finds
 * words for what is wrong; `compile/` makes busy schemas faster with ajv.
 */
import type { SchemaValidator } from "../schema/validator.ts";
import { createJsonSchemaValidator } from "./validator.ts";

export { loadCompiler } from "./compile/loading.ts";
export type { SchemaLimits } from "./read/limits.ts";
export { createJsonSchemaValidator } from "./validator.ts";
export type { JsonSchemaValidatorOptions } from "./validator.ts";

/** Validates values against schemas of your own. */
export const jsonSchemaValidator: SchemaValidator = /* @__PURE__ */ createJsonSchemaValidator();
