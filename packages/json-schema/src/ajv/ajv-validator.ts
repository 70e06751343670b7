import { Ajv2020 } from "ajv/dist/2020.js";
import { isMultiple } from "../check/primitives.ts";
import { createValidator, interpret, resolveOptions, type JsonSchemaValidatorOptions } from "../check/validator.ts";
import { FORMATS } from "../formats/formats.ts";
import { StepBudget } from "../patterns/step-budget.ts";
import { childNodes, type SchemaNode } from "../read/schema-node.ts";
import type { SchemaValidator, Validate } from "../schema.ts";
import { writePlainSchema } from "./plain-schema.ts";

/** Options of {@link createAjvValidator}. */
export type AjvValidatorOptions = Omit<JsonSchemaValidatorOptions, "untrusted">;

/**
 * Creates a validator that compiles schemas with ajv. Give it to a server as `validator`, if its tools take or return large values
 * by plain JSON Schema.
 *
 * The answers and messages are those of `createJsonSchemaValidator`: ajv only decides which values are valid, and only where the
 * two agree on the schema and ajv takes linear time. All other schemas are interpreted; so is everything where the platform
 * forbids generating code. A schema is compiled when its first value comes.
 */
export function createAjvValidator(options: AjvValidatorOptions = {}): SchemaValidator {
  const reading = resolveOptions(options);
  const { maxSteps } = reading.limits;
  return createValidator(reading, (root) =>
    isWorthCompiling(root) ? compileOnFirstUse(root, maxSteps) : (value) => interpret(root, value, maxSteps),
  );
}

function compileOnFirstUse(root: SchemaNode, maxSteps: number): Validate {
  let passes: ((value: unknown) => boolean) | undefined;
  let isAllowed = true;
  return (value) => {
    try {
      if (isAllowed && (passes ??= compile(root))(value)) return { ok: true, value };
    } catch {
      // Most likely a policy that forbids generating code.
      isAllowed = false;
    }
    return interpret(root, value, maxSteps);
  };
}

const UNLIMITED = new StepBudget(Infinity);

/**
 * Compiles a schema to a function. Each schema gets an instance of ajv, which is cheap without the meta-schemas (the schema was
 * checked before): an instance never forgets what it has compiled, and schemas come and go.
 *
 * @throws Error where generating code is forbidden
 */
function compile(root: SchemaNode): (value: unknown) => boolean {
  const { schema, patterns } = writePlainSchema(root);
  const ajv = new Ajv2020({
    addUsedSchema: false,
    code: { regExp: Object.assign(findPattern, { code: "findPattern" }) },
    formats: Object.fromEntries(FORMATS.map((format) => [format.name, { type: "string", validate: format.test }])),
    logger: false,
    messages: false,
    meta: false,
    strict: false,
    strictNumbers: true,
    validateSchema: false,
  });
  // Tracks no evaluated properties: the keywords that need this are interpreted. Tracking makes the code slower, and for some
  // schemas wrong (ajv 8.20: `oneOf` next to `not` in `dependentSchemas`).
  ajv.opts.unevaluated = false;
  // Replaces ajv's own `multipleOf`, which divides and takes a large quotient for a whole number.
  ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    compile: (divisor: number) => (value: number) => isMultiple(value, divisor),
  });
  return ajv.compile(schema);

  function findPattern(source: string): { test(text: string): boolean; toString(): string } {
    const pattern = patterns.get(source);
    return { test: (text) => pattern?.test(text, UNLIMITED) ?? false, toString: () => source };
  }
}

/**
 * Whether ajv takes linear time for all values of a schema, and agrees with the interpreter on its meaning. It does not in these
 * cases, which are interpreted:
 *
 * - a recursive schema can take exponential time, because each level tries all forms of a union;
 * - `uniqueItems` of objects takes quadratic time;
 * - a pattern that needs the linear engine takes a second for some megabytes of text, which only the interpreter counts;
 * - names that all objects inherit, such as `constructor`, count as present;
 * - a value with a property `valueOf` makes ajv throw where it is compared with an object;
 * - `minProperties` counts properties that are `undefined`;
 * - `contains` next to `prefixItems` lets an empty array pass;
 * - `unevaluatedItems` next to `contains`, and `unevaluatedProperties` next to `if`, let some values pass.
 */
function isWorthCompiling(root: SchemaNode): boolean {
  const finished = new Set<SchemaNode>();
  const path = new Set<SchemaNode>();
  const stack: { readonly node: SchemaNode; readonly children: Iterator<SchemaNode> }[] = [];
  if (!enter(root)) return false;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.children.next();
    if (next.done) {
      path.delete(top.node);
      finished.add(top.node);
      stack.pop();
    } else if (path.has(next.value) || (!finished.has(next.value) && !enter(next.value))) return false;
  }
  return true;

  function enter(node: SchemaNode): boolean {
    path.add(node);
    stack.push({ node, children: childNodes(node) });
    return (
      !node.uniqueItems &&
      !node.const?.long.length &&
      !node.enum?.long.length &&
      node.minProperties === undefined &&
      node.contains === undefined &&
      node.unevaluatedItems === undefined &&
      node.unevaluatedProperties === undefined &&
      node.pattern?.isNative !== false &&
      ![...(node.patternProperties?.keys() ?? [])].some((pattern) => !pattern.isNative) &&
      !namesOf(node).some((name) => name in Object.prototype)
    );
  }
}

function namesOf({ required, properties, dependentRequired, dependentSchemas }: SchemaNode): string[] {
  return [
    ...(required ?? []),
    ...(properties?.keys() ?? []),
    ...(dependentRequired?.keys() ?? []),
    ...[...(dependentRequired?.values() ?? [])].flatMap((names) => [...names]),
    ...(dependentSchemas?.keys() ?? []),
  ];
}
