import { Ajv2020 } from "ajv/dist/2020.js";
import { StepBudget } from "../../linear-regexp/index.ts";
import { isMultiple } from "../check/number.ts";
import { FORMATS } from "../formats/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { writePlainSchema } from "./plain-schema.ts";

const UNLIMITED = new StepBudget(Infinity);

/**
 * Compiles a schema to machine code, by way of ajv. Each schema gets an instance of its own, which is cheap without the
 * meta-schemas (we have checked the schema ourselves): ajv never forgets what it has compiled, and schemas come and go.
 *
 * @throws Error where generating code is forbidden
 */
export function compile(root: SchemaNode): (value: unknown) => boolean {
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
  // What has been evaluated matters to keywords that never get here. Keeping track of it makes the code slower, and for
  // some schemas faulty (ajv 8.20: `oneOf` next to `not` in `dependentSchemas`).
  ajv.opts.unevaluated = false;
  // ajv divides, and takes a large quotient for a whole number that it is not.
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
