/**
 * Schemas of your own, compiled by ajv for speed. It generates code, so it is never for schemas that somebody else wrote.
 *
 * @packageDocumentation
 */
export { createAjvValidator, type AjvValidatorOptions } from "./ajv-validator.ts";
