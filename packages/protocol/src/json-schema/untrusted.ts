/**
 * Validation by schemas of others, with everything bounded: what clients check results with. It generates no code, and
 * brings nothing along that could.
 *
 * @packageDocumentation
 */
import type { SchemaValidator } from "../schema/validator.ts";
import { byInterpreting, createValidator } from "./interpret.ts";
import { UNTRUSTED_LIMITS } from "./read/limits.ts";

/** Validates values against untrusted schemas, with everything bounded. */
export const untrustedSchemaValidator: SchemaValidator = /* @__PURE__ */ createValidator(
  { limits: UNTRUSTED_LIMITS, isUntrusted: true },
  byInterpreting,
);
