import { findParamHeaderProblem, type ParamHeader, readCallToolParams } from "@toolwire/protocol/internal";
import {
  type CallToolParams,
  ErrorCode,
  RpcError,
  type SchemaIssue,
  UsageError,
  type Validation,
} from "@toolwire/protocol";
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
  isJsonSafe,
  type ToolResult,
  writeJson,
} from "../content/tool-result.ts";
import { PassedResult, type ReplyParts, ToolReply } from "../define/reply.ts";
import { ToolError } from "../errors.ts";
import type { ServerMiddleware } from "../define/middleware.ts";
import type { CompiledTool } from "../registry/tools.ts";
import { expectKind, recordError, refuseUnknownTool } from "../request/errors.ts";
import { runMiddleware } from "../request/run-middleware.ts";
import { requireScopesOf } from "../request/scopes.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { isThenable } from "../request/thenable.ts";
import { type AskingWork, runAsking } from "./run-asking.ts";
import { runHooks } from "./tool-hooks.ts";

/** Answers `tools/call`. */
export function callTool(request: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(request, "tools");
  const params = readCallToolParams(given);
  const tool = request.definition.tools.find(params.name);
  if (tool === undefined) return refuseUnknownTool(request, params.name);
  request.tool = tool.listing;
  requireScopesOf(request, tool.scopes);
  // Checked here and not earlier: the headers that a tool wants tell of the tool, which may be hidden from the caller.
  if (tool.headers.length > 0 && request.era.hasParamHeaders && request.origin.requiresParamHeaders === true) {
    checkParamHeaders(request, tool.headers);
  }
  if (tool.isHooked && tool.hooks !== undefined) {
    return runHooks(request, tool, params, tool.hooks, () => runTool(request, tool, params));
  }
  return runTool(request, tool, params);
}

/** Runs a tool that may be called, with its middleware. */
function runTool(request: ServedRequest, tool: CompiledTool, params: CallToolParams): object | Promise<object> {
  const { middleware } = tool;
  if (middleware !== undefined) return runWithMiddleware(request, tool, params, middleware);
  return runAsking(request, params, new ToolRun(request, tool, params));
}

/** The server's middleware may have changed the parameters, and the tool's middleware sees the changed ones. */
async function runWithMiddleware(
  request: ServedRequest,
  tool: CompiledTool,
  params: CallToolParams,
  middleware: readonly ServerMiddleware[],
): Promise<object> {
  const changed = params === request.params ? undefined : params;
  const handle = (passed: object | undefined): object | Promise<object> => {
    const read = passed === params ? params : readCallToolParams(passed);
    return runAsking(request, read, new ToolRun(request, tool, read));
  };
  try {
    return await runMiddleware(middleware, request, changed, handle, tool.name);
  } catch (error) {
    return reportError(request, tool, error);
  }
}

/** One run of a tool: its arguments are checked, it runs, its result is checked. */
class ToolRun implements AskingWork<unknown> {
  readonly #request: ServedRequest;
  readonly #tool: CompiledTool;
  readonly #params: CallToolParams;

  constructor(request: ServedRequest, tool: CompiledTool, params: CallToolParams) {
    this.#request = request;
    this.#tool = tool;
    this.#params = params;
  }

  run(): unknown {
    const checked = this.#tool.input(this.#params.arguments ?? {});
    return isThenable(checked) ? checked.then((args) => this.#start(args)) : this.#start(checked);
  }

  #start(args: Validation): unknown {
    const tool = this.#tool;
    if (!args.ok) throw new ToolError(`Invalid arguments for tool "${tool.name}":\n${describeIssues(args.issues)}`);
    this.#request.expectWanted();
    return tool.run(args.value, this.#request.context);
  }

  /** Checks what the tool returned. A value that does not fit `output`, as it is or as JSON, is not sent. */
  conclude(returned: unknown): object | Promise<object> {
    const { output, listing } = this.#tool;
    if (returned instanceof PassedResult) return { ...returned.result };
    if (output === undefined) return contentResult(returned);
    const isReply = returned instanceof ToolReply;
    if (!isReply) refuseWholeResult(listing, returned);
    const parts: ReplyParts = isReply ? returned.parts : { structured: returned };
    if (parts.isError === true) return repliedResult(parts, parts.structured);
    const checked = output(parts.structured);
    return isThenable(checked) ? checked.then((fit) => this.#settle(parts, fit)) : this.#settle(parts, checked);
  }

  #settle(parts: ReplyParts, checked: Validation): object | Promise<object> {
    if (checked.ok && isJsonSafe(checked.value)) return repliedResult(parts, checked.value);
    const settled = settleOutput(this.#request, this.#tool, checked, parts.structured);
    return settled.then((structured) => repliedResult(parts, structured));
  }

  fail(error: unknown): object {
    return reportError(this.#request, this.#tool, error);
  }
}

/** Models read a `ToolError`; of unexpected errors, callers get an id. */
function reportError(request: ServedRequest, tool: CompiledTool, error: unknown): ToolResult {
  if (error instanceof ToolError) return errorResult(error.message);
  if (error instanceof RpcError) throw error;
  return errorResult(`Tool "${tool.name}" failed because of an internal error (id ${recordError(request, error)}).`);
}

/** Checks by the listed schemas of tools, each made on first use. */
const checks = new WeakMap<CompiledTool, NonNullable<CompiledTool["output"]>>();

/**
 * The value that the caller will read. JSON turns a date into text, `NaN` into `null`, and drops `undefined`. Such a value
 * is not the one that was validated, so it is validated once more in its JSON form, by the listed schema.
 *
 * @throws UsageError if the value does not fit: a mistake of the server, which the caller cannot correct
 */
async function settleOutput(
  request: ServedRequest,
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
 * Validates by listed schemas. Formats are not checked again: they are annotations by default (JSON Schema 2020-12,
 * section 7.2.1), and libraries differ in their idea of a date or an address.
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

function misfit({ name }: CompiledTool, how: string, issues: readonly SchemaIssue[], advice = ""): UsageError {
  return new UsageError("INVALID_ARGUMENT", `The result of tool "${name}" ${how}.\n${describeIssues(issues)}${advice}`);
}

/** Checks that headers repeat the arguments of a call as they came (2026-07-28, "Custom Headers from Tool Parameters"). */
function checkParamHeaders({ message, origin }: ServedRequest, headers: readonly ParamHeader[]): void {
  const { arguments: args } = message.params as CallToolParams;
  const problem = findParamHeaderProblem(headers, args, (name) => origin.header?.(name.toLowerCase()));
  if (problem !== undefined) throw new RpcError(ErrorCode.HeaderMismatch, problem);
}
