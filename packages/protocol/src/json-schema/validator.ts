import type { SchemaValidator, Validate } from "../schema/validator.ts";
import { isWorthCompiling } from "./compile/eligibility.ts";
import { findCompiler } from "./compile/loading.ts";
import { byInterpreting, createValidator, interpret } from "./interpret.ts";
import { DEFAULT_LIMITS, UNTRUSTED_LIMITS, type SchemaLimits } from "./read/limits.ts";
import type { SchemaNode } from "./schema-node.ts";

/** How a validator treats the schemas it is given. */
export interface JsonSchemaValidatorOptions {
  /**
   * Whether schemas come from somebody else, such as a server one connects to. Every step of checking is then counted
   * and bounded, no code is generated, and patterns that cannot be matched in linear time are refused.
   */
  readonly untrusted?: boolean | undefined;
  /**
   * Whether `format` is checked, or only an annotation. Default: checked in your own schemas. In untrusted ones it is checked
   * in draft-07 only, because 2019-09 and 2020-12 make it an annotation.
   */
  readonly assertFormats?: boolean | undefined;
  /** Bounds to tighten or loosen. */
  readonly limits?: Partial<SchemaLimits> | undefined;
  /**
   * How many values a trusted schema checks before it is compiled with ajv; `Infinity` is never. Default 1,000: less
   * does not pay for loading ajv and compiling.
   */
  readonly compileAfter?: number | undefined;
}

const DEFAULT_COMPILE_AFTER = 1_000;

/**
 * Creates a validator for JSON Schema 2020-12, 2019-09 and draft-07.
 *
 * Schemas are interpreted at first, which is fast enough for most and works everywhere; those of your own that are
 * busy are compiled with ajv, where generating code is allowed. Both ways give the same answers. Nothing is ever
 * fetched, and schemas do not know of each other. The result for a schema object is remembered as long as the object
 * lives, so treat it as immutable.
 */
export function createJsonSchemaValidator(options: JsonSchemaValidatorOptions = {}): SchemaValidator {
  const isUntrusted = options.untrusted ?? false;
  const limits = { ...(isUntrusted ? UNTRUSTED_LIMITS : DEFAULT_LIMITS), ...options.limits };
  const compileAfter = options.compileAfter ?? DEFAULT_COMPILE_AFTER;
  const { assertFormats } = options;
  return createValidator({ limits, isUntrusted, assertFormats }, (root) =>
    !isUntrusted && isWorthCompiling(root) ? validateFast(root, compileAfter) : byInterpreting(root, limits),
  );
}

/** Checks the first values by interpreting, and compiles the schema when it has proved busy. */
function validateFast(root: SchemaNode, compileAfter: number): Validate {
  let checks = 0;
  let isAllowed = true;
  let passes: ((value: unknown) => boolean) | undefined;
  return (value) => {
    try {
      if (passes === undefined && isAllowed && checks++ >= compileAfter) passes = findCompiler()?.(root);
      if (passes?.(value)) return { ok: true, value };
    } catch {
      // Most likely a policy that forbids generating code. Interpreting goes on.
      isAllowed = false;
      passes = undefined;
    }
    return interpret(root, value, Infinity);
  };
}
