import type { Place, SchemaIssue } from "../issues/issue.ts";
import { StepBudget, StepsExhausted } from "../patterns/step-budget.ts";
import { DEFAULT_LIMITS, UNTRUSTED_LIMITS, type SchemaLimits } from "../read/limits.ts";
import { readSchema, type ReadOptions } from "../read/read-schema.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import type { JsonSchema, SchemaValidator, Validate, Validation } from "../schema.ts";
import { checkArray } from "./array.ts";
import { checkCombinations } from "./combinations.ts";
import type { Members } from "./members.ts";
import { checkObject } from "./object.ts";
import { checkNumber, checkString } from "./primitives.ts";
import { Run, TooDeep } from "./run.ts";
import { checkFixedValues, checkType } from "./values.ts";

/** Options of {@link createJsonSchemaValidator}. */
export interface JsonSchemaValidatorOptions {
  /**
   * Whether the schemas come from somebody else, such as a server that a client connects to. Patterns that cannot be matched
   * in linear time are then refused, and fewer steps are allowed for each value.
   */
  readonly untrusted?: boolean | undefined;
  /**
   * Whether `format` is checked, or only an annotation. Default: checked in your own schemas. In untrusted ones it is checked
   * in draft-07 only, because 2019-09 and 2020-12 make it an annotation.
   */
  readonly assertFormats?: boolean | undefined;
  /** Limits to tighten or loosen. */
  readonly limits?: Partial<SchemaLimits> | undefined;
}

/**
 * Creates a validator for JSON Schema 2020-12, 2019-09 and draft-07.
 *
 * It interprets schemas, so that it works where code must not be generated, and counts its steps, so that no schema and no
 * value can keep it busy. It never fetches anything, and schemas do not know of each other. It remembers the result for a
 * schema object as long as the object lives, so treat schemas as immutable.
 */
export function createJsonSchemaValidator(options: JsonSchemaValidatorOptions = {}): SchemaValidator {
  const reading = resolveOptions(options);
  return createValidator(reading, (root) => (value) => interpret(root, value, reading.limits.maxSteps));
}

/** Fills in the defaults of options. */
export function resolveOptions({ untrusted = false, assertFormats, limits }: JsonSchemaValidatorOptions): ReadOptions {
  return {
    limits: { ...(untrusted ? UNTRUSTED_LIMITS : DEFAULT_LIMITS), ...limits },
    isUntrusted: untrusted,
    assertFormats,
  };
}

/** Creates a validator that remembers what it has made of a schema object for as long as the object lives. */
export function createValidator(options: ReadOptions, makeCheck: (root: SchemaNode) => Validate): SchemaValidator {
  const known = new WeakMap<object, Validate>();
  return {
    compile(schema: JsonSchema) {
      const found = typeof schema === "object" ? known.get(schema) : undefined;
      if (found !== undefined) return found;
      const validate = makeCheck(readSchema(schema, options));
      if (typeof schema === "object") known.set(schema, validate);
      return validate;
    },
  };
}

/** Checks a value against a schema that was read. A second pass finds the reasons, so that valid values pay nothing for them. */
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
  // The platform throws a RangeError if most of the stack was in use before.
  if (error instanceof TooDeep || error instanceof RangeError) {
    return { path: "", kind: "too-deep", message: "nested too deeply to be checked: flatten it" };
  }
  throw error;
}

/** Checks a value against all keywords of a node. */
export function checkNode(node: SchemaNode, value: unknown, place: Place | undefined, run: Run): void {
  if (node.never) {
    run.fail("never", place, () => "nothing is allowed here: leave it out");
    return;
  }
  // Reports one issue for a value of the wrong type: others would distract. The allowed values say more than their type.
  if (!checkFixedValues(node, value, place, run) || !checkType(node, value, place, run)) return;
  if (node.combines) {
    checkCombinations(node, value, place, run);
    if (run.isSettled) return;
  }
  if (typeof value === "string") checkString(node, value, place, run);
  else if (typeof value === "number") checkNumber(node, value, place, run);
  else if (Array.isArray(value)) checkArray(node, value, place, run);
  else if (typeof value === "object" && value !== null) checkObject(node, value as Members, place, run);
}
