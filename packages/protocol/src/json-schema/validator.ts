import { StepBudget, StepsExhausted } from "../linear-regexp/index.ts";
import type { SchemaIssue } from "../schema/issue.ts";
import type { JsonSchema, SchemaValidator, Validate, Validation } from "../schema/validator.ts";
import { checkNode } from "./check/check-node.ts";
import { Run, TooDeep } from "./check/run.ts";
import { isWorthCompiling } from "./compile/eligibility.ts";
import { findCompiler } from "./compile/loading.ts";
import { DEFAULT_LIMITS, UNTRUSTED_LIMITS, type SchemaLimits } from "./read/limits.ts";
import { readSchema } from "./read/read-schema.ts";
import type { SchemaNode } from "./schema-node.ts";

/** How a validator treats the schemas it is given. */
export interface JsonSchemaValidatorOptions {
  /**
   * Whether schemas come from somebody else, such as a server one connects to. Every step of checking is then counted
   * and bounded, no code is generated, and patterns that cannot be matched in linear time are refused.
   */
  readonly untrusted?: boolean | undefined;
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
  const known = new WeakMap<object, Validate>();

  return {
    compile(schema: JsonSchema) {
      const found = typeof schema === "object" ? known.get(schema) : undefined;
      if (found !== undefined) return found;
      const root = readSchema(schema, { limits, isUntrusted });
      const isCompilable = !isUntrusted && isWorthCompiling(root);
      const validate = isCompilable
        ? validateFast(root, compileAfter)
        : (value: unknown) => interpret(root, value, limits.maxSteps);
      if (typeof schema === "object") known.set(schema, validate);
      return validate;
    },
  };
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

/** Our own judgement. Where a compiled schema says no, it also finds the reasons. */
function interpret(root: SchemaNode, value: unknown, maxSteps: number): Validation {
  try {
    const run = new Run(checkNode, new StepBudget(maxSteps));
    run.check(root, value, undefined);
    return run.hasFailed ? { ok: false, issues: explain(root, value, maxSteps) } : { ok: true, value };
  } catch (error) {
    return { ok: false, issues: [explainStop(error)] };
  }
}

function explain(root: SchemaNode, value: unknown, maxSteps: number): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  try {
    new Run(checkNode, new StepBudget(maxSteps), issues).check(root, value, undefined);
  } catch (error) {
    if (issues.length === 0) issues.push(explainStop(error));
  }
  return issues;
}

function explainStop(error: unknown): SchemaIssue {
  if (error instanceof StepsExhausted) {
    return { path: "", kind: "too-complex", message: "takes too long to check against its schema: simplify it" };
  }
  // A RangeError is the platform's own complaint, when little of the stack was left to begin with.
  if (error instanceof TooDeep || error instanceof RangeError) {
    return { path: "", kind: "too-deep", message: "nested too deeply to be checked: flatten it" };
  }
  throw error;
}
