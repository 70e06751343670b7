/**
 * What becomes of a result that cannot be sent just as the handler returned it. A good one never gets here, so this is
 * loaded with the first that does.
 */
import { isObject } from "@toolwire/protocol/internal";
import type { SchemaIssue, SchemaValidator, Validation } from "@toolwire/protocol";
import { describeIssues, subschemasOf } from "@toolwire/protocol/schema";
import { writeJson } from "../content/tool-result.ts";
import { explainWholeResult } from "../content/whole-result.ts";
import { NO_BASE, SchemaReferences, type Keywords } from "../definition/schema-references.ts";
import type { CompiledTool } from "../registry/tools.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Checks by what tools list, each made when first needed. */
const checks = new WeakMap<CompiledTool, NonNullable<CompiledTool["output"]>>();

/**
 * What the caller will read of a result. That of one which JSON changes (a date is text there, `NaN` is `null`, what is
 * `undefined` is gone) is not the value that was found to fit, so it has to fit what the caller knows of `output`.
 *
 * @throws Error for one that does not fit: a mistake of the server, which the caller cannot mend
 */
export async function settleOutput(
  call: ServedRequest,
  tool: CompiledTool,
  checked: Validation,
  returned: unknown,
): Promise<unknown> {
  if (!checked.ok) throw misfit(tool, "does not fit its `output`", checked.issues, explainWholeResult(returned));
  const written: unknown = JSON.parse(writeJson(checked.value));
  let check = checks.get(tool);
  if (check === undefined) {
    check = compileListed(tool, await call.definition.schemas.validator());
    checks.set(tool, check);
  }
  const again = await check(written);
  if (again.ok) return written;
  const how =
    "fits its `output`, but not as JSON, which has no NaN, no Infinity, no undefined, no dates and no classes: " +
    "return what JSON can hold";
  throw misfit(tool, how, again.issues);
}

/**
 * The check by what a tool lists. Formats are left to whoever has checked the value before: to others they are mere
 * annotations (JSON Schema 2020-12, section 7.2.1), and libraries differ in what they take for a date, or an address. What a
 * library lists may be beyond the validator, and then the library is all there is.
 */
function compileListed(
  { listing, output }: CompiledTool,
  validator: SchemaValidator,
): NonNullable<CompiledTool["output"]> {
  const schema = JSON.parse(JSON.stringify(listing.outputSchema)) as Keywords;
  dropFormats(schema);
  try {
    return validator.compile(schema);
  } catch (error) {
    if (output === undefined) throw error;
    return output;
  }
}

/** Also in what references lead to, which can stand where no schemas are expected, as in OpenAPI's `components`. */
function dropFormats(root: Keywords): void {
  const names = new SchemaReferences(root, false);
  const visited = new Set<unknown>();
  const references: (readonly [reference: string, base: string])[] = [];
  visit(root, NO_BASE);
  for (const [reference, from] of references) {
    const { target, base = from } = names.follow(reference, from);
    visit(target, base);
  }

  function visit(schema: unknown, outerBase: string): void {
    if (!isObject(schema) || visited.has(schema)) return;
    visited.add(schema);
    Reflect.deleteProperty(schema, "format");
    const base = names.enter(schema, outerBase);
    const { $ref, $dynamicRef } = schema;
    for (const reference of [$ref, $dynamicRef]) if (typeof reference === "string") references.push([reference, base]);
    for (const [child] of subschemasOf(schema)) visit(child, base);
  }
}

function misfit({ name }: CompiledTool, how: string, issues: readonly SchemaIssue[], advice = ""): Error {
  return new Error(`The result of tool "${name}" ${how}.\n${describeIssues(issues)}${advice}`);
}
