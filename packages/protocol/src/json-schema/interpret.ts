import { StepBudget, StepsExhausted } from "../linear-regexp/index.ts";
import type { SchemaIssue } from "../schema/issue.ts";
import type { JsonSchema, SchemaValidator, Validate, Validation } from "../schema/validator.ts";
import { checkNode } from "./check/check-node.ts";
import { Run, TooDeep } from "./check/run.ts";
import type { SchemaLimits } from "./read/limits.ts";
import { readSchema, type ReadOptions } from "./read/read-schema.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Makes a check of a schema that was read. */
export type Checker = (root: SchemaNode, limits: SchemaLimits) => Validate;

/** Checks by interpreting, step by step. */
export const byInterpreting: Checker =
  (root, { maxSteps }) =>
  (value) =>
    interpret(root, value, maxSteps);

/** Creates a validator that remembers what it has made of a schema object for as long as the object lives. */
export function createValidator(options: ReadOptions, makeCheck: Checker): SchemaValidator {
  const known = new WeakMap<object, Validate>();
  return {
    compile(schema: JsonSchema) {
      const found = typeof schema === "object" ? known.get(schema) : undefined;
      if (found !== undefined) return found;
      const validate = makeCheck(readSchema(schema, options), options.limits);
      if (typeof schema === "object") known.set(schema, validate);
      return validate;
    },
  };
}

/** Our own judgement. Where a compiled schema says no, it also finds the reasons. */
export function interpret(root: SchemaNode, value: unknown, maxSteps: number): Validation {
  try {
    const run = new Run(checkNode, new StepBudget(maxSteps));
    run.check(root, value, undefined);
    return run.hasFailed ? { ok: false, issues: explain(root, value, maxSteps) } : { ok: true, value };
  } catch (error) {
    return { ok: false, issues: [explainStop(error, maxSteps)] };
  }
}

function explain(root: SchemaNode, value: unknown, maxSteps: number): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  try {
    new Run(checkNode, new StepBudget(maxSteps), issues).check(root, value, undefined);
  } catch (error) {
    if (issues.length === 0) issues.push(explainStop(error, maxSteps));
  }
  return issues;
}

function explainStop(error: unknown, maxSteps: number): SchemaIssue {
  if (error instanceof StepsExhausted) {
    const message = `takes too long to check against its schema (more than ${maxSteps} steps): send less at once, or simplify it`;
    return { path: "", kind: "too-complex", message };
  }
  // A RangeError is the platform's own complaint, when little of the stack was left to begin with.
  if (error instanceof TooDeep || error instanceof RangeError) {
    return { path: "", kind: "too-deep", message: "nested too deeply to be checked: flatten it" };
  }
  throw error;
}
