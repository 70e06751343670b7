/**
 * What becomes of a result that cannot be sent just as the handler returned it. A good one never gets here, so this is
 * loaded with the first that does.
 */
import { checkHeaders, type HeaderAnnotation, readCallToolParams } from "@toolwire/protocol/internal";
import { type CallToolParams, ErrorCode, RpcError, type SchemaIssue, type Validation } from "@toolwire/protocol";
import {
  createJsonSchemaValidator,
  describeIssues,
  type JsonSchema,
  type SchemaValidator,
} from "@toolwire/json-schema";
import {
  contentResult,
  errorResult,
  explainWholeResult,
  refuseWholeResult,
  repliedResult,
  type ReplyParts,
  survivesJson,
  ToolReply,
  type ToolResult,
  writeJson,
} from "../content/tool-result.ts";
import { ToolError, unknownName } from "../errors.ts";
import { runThrough, withParams, type Middleware } from "../middleware/middleware.ts";
import type { CompiledTool } from "../registry/tools.ts";
import { record } from "../request/errors.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { whenReady } from "../request/thenable.ts";
import { answerWithQuestions } from "./answer-with-questions.ts";
import { expectKind } from "./lists.ts";

/** Answers `tools/call`: arguments are checked, the tool runs, its result is checked. */
export function callTool(call: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(call, "tools");
  const params = readCallToolParams(given);
  const tool = call.definition.tools.find(params.name);
  if (tool === undefined) return refuseUnknown(call, params.name);
  call.tool = tool.listing;
  const { headers } = tool;
  if (headers.length === 0 || call.perRequest === undefined || call.origin.repeatsArguments !== true) {
    return enter(call, tool, params);
  }
  // Not before it is clear that the caller may know of the tool: the headers it wants tell of it.
  return import("../parts/later.ts").then(({ expectRepeated }) => {
    expectRepeated(call, headers);
    return enter(call, tool, params);
  });
}

/** Goes through what goes around this tool, if there is anything. */
function enter(call: ServedRequest, tool: CompiledTool, params: CallToolParams): object | Promise<object> {
  const { middleware } = tool;
  return middleware === undefined ? attempt(call, tool, params) : goThrough(call, tool, params, middleware);
}

async function goThrough(
  call: ServedRequest,
  tool: CompiledTool,
  params: CallToolParams,
  middleware: readonly Middleware[],
): Promise<object> {
  try {
    // What goes around all requests may have changed the parameters; what goes around the tool sees them changed.
    return await runThrough(
      middleware,
      params === call.params ? call : withParams(call, params),
      call,
      (changed) => attempt(call, tool, changed === params ? params : readCallToolParams(changed)),
      tool.name,
    );
  } catch (error) {
    return report(call, tool, error);
  }
}

/** Answers the call of a tool that does not exist, or that the caller may not know of. */
export function refuseUnknown({ definition }: ServedRequest, name: string): object {
  const error = unknownName("tool", name);
  if (definition.unknownTool === "error") throw error;
  return errorResult(error.message);
}

function attempt(call: ServedRequest, tool: CompiledTool, params: CallToolParams): object | Promise<object> {
  return answerWithQuestions(
    call,
    params,
    () => whenReady(tool.input(params.arguments ?? {}), (args) => run(call, tool, args)),
    (returned) => conclude(call, tool, returned),
    (error) => report(call, tool, error),
  );
}

function run(call: ServedRequest, tool: CompiledTool, args: Validation): unknown {
  if (!args.ok) throw new ToolError(`Invalid arguments for tool "${tool.name}":\n${describeIssues(args.issues)}`);
  call.expectWanted();
  return tool.run(args.value, call);
}

/** Checks what the tool returned. What does not fit is not sent, and neither is what fits until it is written as JSON. */
function conclude(call: ServedRequest, tool: CompiledTool, returned: unknown): object | Promise<object> {
  if (tool.output === undefined) return contentResult(returned);
  const isReply = returned instanceof ToolReply;
  if (!isReply) refuseWholeResult(tool.listing, returned);
  const parts: ReplyParts = isReply ? returned.parts : { structured: returned };
  if (parts.isError === true) return repliedResult(parts, parts.structured);
  return whenReady(tool.output(parts.structured), (checked) => {
    if (checked.ok && survivesJson(checked.value)) return repliedResult(parts, checked.value);
    return import("../parts/later.ts").then(async ({ settleOutput }) =>
      repliedResult(parts, await settleOutput(call, tool, checked, parts.structured)),
    );
  });
}

function report(call: ServedRequest, tool: CompiledTool, error: unknown): ToolResult {
  if (error instanceof ToolError) return errorResult(error.message);
  if (error instanceof RpcError) throw error;
  return errorResult(`Tool "${tool.name}" failed because of an internal error (id ${record(call, error)}).`);
}

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
    check = compileListed(tool);
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
 * Reads formats as annotations, as the receiver of a result may (JSON Schema 2020-12 Validation, section 7.2.1): the check of the
 * tool has tested them before, and libraries differ in what they take for a date or an address.
 */
const LISTED: SchemaValidator = /* @__PURE__ */ createJsonSchemaValidator({ assertFormats: false });

/** Makes the check by the schema that a tool lists. A schema beyond the validator leaves the library's check as the only one. */
function compileListed({ listing, output }: CompiledTool): NonNullable<CompiledTool["output"]> {
  try {
    return LISTED.compile(listing.outputSchema as JsonSchema);
  } catch (error) {
    if (output === undefined) throw error;
    return output;
  }
}

function misfit({ name }: CompiledTool, how: string, issues: readonly SchemaIssue[], advice = ""): Error {
  return new Error(`The result of tool "${name}" ${how}.\n${describeIssues(issues)}${advice}`);
}

/**
 * Sees that headers repeat what the arguments of a call say, as they came (2026-07-28, "Custom Headers from Tool
 * Parameters"). Few tools want that, so this is loaded with the first call of one that does.
 */
export function expectRepeated({ request, origin }: ServedRequest, headers: readonly HeaderAnnotation[]): void {
  const { arguments: args } = request.params as CallToolParams;
  const problem = checkHeaders(headers, args, (name) => origin.header?.(name.toLowerCase()));
  if (problem !== undefined) throw new RpcError(ErrorCode.HeaderMismatch, problem);
}
