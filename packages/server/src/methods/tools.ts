import { checkHeaders, type HeaderAnnotation, isObject, readCallToolParams } from "@toolwire/protocol/internal";
import {
  type CallToolParams,
  ErrorCode,
  RpcError,
  type SchemaIssue,
  type SchemaValidator,
  type Validation,
} from "@toolwire/protocol";
import { describeIssues, subschemasOf } from "@toolwire/protocol/schema";
import {
  contentResult,
  errorResult,
  explainWholeResult,
  refuseWholeResult,
  repliedResult,
  survivesJson,
  type ToolResult,
  writeJson,
} from "../content/tool-result.ts";
import { type ReplyParts, ToolReply } from "../define/reply.ts";
import { ToolError } from "../errors.ts";
import type { Middleware } from "../define/middleware.ts";
import type { CompiledTool } from "../registry/tools.ts";
import { expectKind, recordError, refuseUnknownTool } from "../request/errors.ts";
import { runMiddleware } from "../request/run-middleware.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { whenReady } from "../request/thenable.ts";
import { answerWithQuestions } from "./answer-with-questions.ts";
import { NO_BASE, SchemaReferences, type Keywords } from "../define/schema-references.ts";

/** Answers `tools/call`: arguments are checked, the tool runs, its result is checked. */
export function callTool(call: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(call, "tools");
  const params = readCallToolParams(given);
  const tool = call.definition.tools.find(params.name);
  if (tool === undefined) return refuseUnknownTool(call, params.name);
  call.tool = tool.listing;
  // Checked here and not earlier: the headers that a tool wants tell of the tool, which may be hidden from the caller.
  if (tool.headers.length > 0 && call.era.hasParamHeaders && call.origin.requiresParamHeaders === true) {
    checkParamHeaders(call, tool.headers);
  }
  return enter(call, tool, params);
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
    // The server's middleware may have changed the parameters, and the tool's middleware sees the changed ones.
    return await runMiddleware(
      middleware,
      call,
      params === call.params ? undefined : params,
      (changed) => attempt(call, tool, changed === params ? params : readCallToolParams(changed)),
      tool.name,
    );
  } catch (error) {
    return report(call, tool, error);
  }
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
  return tool.run(args.value, call.context);
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
    return settleOutput(call, tool, checked, parts.structured).then((structured) => repliedResult(parts, structured));
  });
}

function report(call: ServedRequest, tool: CompiledTool, error: unknown): ToolResult {
  if (error instanceof ToolError) return errorResult(error.message);
  if (error instanceof RpcError) throw error;
  return errorResult(`Tool "${tool.name}" failed because of an internal error (id ${recordError(call, error)}).`);
}

/** Checks by what tools list, each made when first needed. */
const checks = new WeakMap<CompiledTool, NonNullable<CompiledTool["output"]>>();

/**
 * What the caller will read of a result. That of one which JSON changes (a date is text there, `NaN` is `null`, what is
 * `undefined` is gone) is not the value that was found to fit, so it has to fit what the caller knows of `output`.
 *
 * @throws Error for one that does not fit: a mistake of the server, which the caller cannot mend
 */
async function settleOutput(
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

/** Checks that headers repeat the arguments of a call as they came (2026-07-28, "Custom Headers from Tool Parameters"). */
function checkParamHeaders({ message, origin }: ServedRequest, headers: readonly HeaderAnnotation[]): void {
  const { arguments: args } = message.params as CallToolParams;
  const problem = checkHeaders(headers, args, (name) => origin.header?.(name.toLowerCase()));
  if (problem !== undefined) throw new RpcError(ErrorCode.HeaderMismatch, problem);
}
