/**
 * What becomes of a result that cannot be sent just as the handler returned it. A good one never gets here, so this is
 * loaded with the first that does.
 */
import type { JsonSchema, SchemaIssue, Validate, Validation } from "@toolwire/protocol";
import { describeIssues } from "@toolwire/protocol/schema";
import { writeJson } from "../content/tool-result.ts";
import type { CompiledTool } from "../registry/tools.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Checks by what tools list, each made when first needed. */
const checks = new WeakMap<CompiledTool, Validate>();

/**
 * What the caller will read of a result. That of one which JSON changes (a date is text there, `NaN` is `null`, what is
 * `undefined` is gone) is not the value that was found to fit, so it has to fit what the caller knows of `output`.
 *
 * @throws Error for one that does not fit: a mistake of the server, which the caller cannot mend
 */
export async function settleOutput(call: ServedRequest, tool: CompiledTool, checked: Validation): Promise<unknown> {
  if (!checked.ok) throw misfit(tool, "does not fit its `output`", checked.issues);
  const written: unknown = JSON.parse(writeJson(checked.value));
  let check = checks.get(tool);
  if (check === undefined) {
    const validator = await call.definition.schemas.validator();
    check = validator.compile(tool.listing.outputSchema as JsonSchema);
    checks.set(tool, check);
  }
  const again = check(written);
  if (again.ok) return written;
  const how =
    "fits its `output`, but not as JSON, which has no NaN, no Infinity, no undefined, no dates and no classes: " +
    "return what JSON can hold";
  throw misfit(tool, how, again.issues);
}

function misfit({ name }: CompiledTool, how: string, issues: readonly SchemaIssue[]): Error {
  return new Error(`The result of tool "${name}" ${how}.\n${describeIssues(issues)}`);
}
