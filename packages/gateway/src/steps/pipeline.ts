import {
  type CallToolResult,
  type Context,
  InputRequired,
  type RequestCall,
  RpcError,
  type ServerMiddleware,
  type ServerNext,
  ToolError,
} from "@toolwire/server";
import type { ToolRoute } from "../routes/tool-route.ts";
import { callApi } from "./call-api.ts";
import { injectAuth } from "./inject-auth.ts";
import { log } from "./log.ts";
import { ADMIN_BINDING, type AdminOrigin, type PipelineHost, type Policy } from "./policy.ts";
import { resolveParameters } from "./resolve-parameters.ts";
import { callOf, keepCall, RunningCall } from "./running-call.ts";
import { transform } from "./transform.ts";
import { releasePlaces, validate, type Validated } from "./validate.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/**
 * The seven steps of a `tools/call`, as the outermost middleware of a server: validate, resolve, inject auth, call,
 * transform, log, return. Steps 1, 6 and 7 are here, around the SDK, which checks the arguments and calls the tool. Steps 2
 * to 5 are the tool: {@link runTool}.
 *
 * `policyOf` is asked anew for each call, because a reload replaces the policy.
 */
export function createPipeline(
  policyOf: () => Policy,
  host: PipelineHost,
  waiting: WaitingCalls = new WaitingCalls(host),
): ServerMiddleware {
  return (request, next) => {
    const policy = policyOf();
    const call = new RunningCall(policy, request);
    // Tools of upstreams are known once these are connected. A reload may happen meanwhile.
    const isEarly = policy.prepare !== undefined && !policy.tools.has(call.tool);
    return isEarly
      ? serveLater(call, policyOf, request, next, host, waiting)
      : serveCall(call, request, next, host, waiting);
  };
}

async function serveLater(
  call: RunningCall,
  policyOf: () => Policy,
  request: RequestCall,
  next: ServerNext,
  host: PipelineHost,
  waiting: WaitingCalls,
): Promise<object> {
  await call.policy.prepare?.(call.principal);
  call.policy = policyOf();
  return serveCall(call, request, next, host, waiting);
}

function serveCall(
  call: RunningCall,
  request: RequestCall,
  next: ServerNext,
  host: PipelineHost,
  waiting: WaitingCalls,
): Promise<object> {
  keepCall(call);
  if (request.origin.binding === ADMIN_BINDING) (request.origin as unknown as AdminOrigin).callId = call.id;

  // A task goes on where a question has ended its last run: it is still the same call.
  const { isDetached: isResumed } = request;
  const finish = (result: object): object => {
    releasePlaces(call);
    // 6. Log. A task that has asked something is not over.
    const isOver = !request.isDetached || !waiting.keep(call, request, result);
    if (isOver && (!isResumed || waiting.join(call))) log(call, request, host, { result });
    // 7. Return.
    return result;
  };
  const fail = (error: unknown): never => {
    releasePlaces(call);
    if (!isResumed || waiting.join(call)) log(call, request, host, { error });
    throw error;
  };

  const goOn = ({ params, refusal }: Validated): Promise<object> =>
    refusal === undefined ? next(params) : Promise.resolve(refusal);

  let going: Promise<object>;
  try {
    // 1. Validate.
    const validated = validate(call, request);
    // The SDK checks the arguments against the schema, then `runTool` goes on.
    going = validated instanceof Promise ? validated.then(goOn) : goOn(validated);
  } catch (error) {
    going = Promise.reject(error as Error);
  }
  return going.then(finish, fail);
}

/** Steps 2 to 5: the tool itself. Its arguments are valid. */
export async function runTool(route: ToolRoute, args: object, ctx: Context): Promise<CallToolResult> {
  const call = callOf(ctx);
  call.endStep("validate");
  try {
    // 2. Resolve parameters.
    let request = resolveParameters(route, args, call);
    // 3. Inject auth.
    request = injectAuth(route, request, call, ctx);
    if (request instanceof Promise) request = await request;
    // 4. Call the API.
    const response = await callApi(route, request, call, ctx);
    call.endStep("call");
    // 5. Transform.
    return transform(route, response, call, args);
  } catch (error) {
    noteFailure(call, error);
    throw error;
  }
}

/** Writes down how long the step took that failed, and what the caller will not be told. */
function noteFailure(call: RunningCall, error: unknown): void {
  if (error instanceof InputRequired) return;
  call.endCurrentStep();
  if (isTimeout(error)) call.outcome = "timed-out";
  else if (!(error instanceof ToolError) && !(error instanceof RpcError)) call.outcome = "error";
}

/** Whether an error is about time: a `TimeoutError`, or an error for callers with such a cause. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return [error, error.cause].some((each) => each instanceof Error && each.name === "TimeoutError");
}
