import { readCallToolParams } from "@toolwire/protocol/internal";
import { RpcError, type CallToolParams, type Validation } from "@toolwire/protocol";
import { describeIssues } from "@toolwire/protocol/schema";
import { ToolReply, type ReplyParts } from "../content/reply.ts";
import { survivesJson } from "../content/survives-json.ts";
import { refuseWholeResult } from "../content/whole-result.ts";
import { contentResult, errorResult, repliedResult, type ToolResult } from "../content/tool-result.ts";
import { ToolError, unknownName } from "../errors.ts";
import { runThrough, withParams, type Middleware } from "../middleware/middleware.ts";
import type { CompiledTool } from "../registry/tools.ts";
import { record } from "../request/explain.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { whenReady } from "../request/thenable.ts";
import { answerWithQuestions } from "./answer-with-questions.ts";
import { expectKind } from "./expect-kind.ts";

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
