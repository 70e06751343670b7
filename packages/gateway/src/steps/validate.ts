import { type RequestCall, ToolError } from "@toolwire/server";
import { Socket } from "node:net";
import { ADMIN_BINDING, type CallLimits, type PolicyTool, UNLIMITED } from "./policy.ts";
import type { RunningCall } from "./running-call.ts";

/** The outcome of the first step: the parameters to go on with, or the result that refuses the call. */
export interface Validated {
  /** The parameters, if they are not those that the caller sent. */
  readonly params?: object | undefined;
  readonly refusal?: object | undefined;
}

const AS_SENT: Validated = {};

/**
 * Step 1: the tool exists and is active, the caller may use it, and is within the limits. The SDK checks the arguments against
 * the tool's schema right after this, before the tool runs. Resolves later if the calls of several gateways are counted together.
 *
 * @throws RpcError if there is no such tool for this caller
 * @throws ToolError if a limit is reached
 */
export function validate(call: RunningCall, request: RequestCall): Validated | Promise<Validated> {
  const { policy } = call;
  const unwrapped = policy.search?.unwrap(request.params ?? {});
  if (unwrapped !== undefined) rename(call, unwrapped);
  const found = policy.tools.get(call.tool);
  if (found !== undefined) call.source = found.route.source;
  const counted = takePlace(call, request, policy.limits);
  return counted === undefined
    ? findTool(call, request, found, unwrapped)
    : counted.then(() => findTool(call, request, found, unwrapped));
}

/** Decides whether the caller may use the tool, after the limits of the server. */
function findTool(
  call: RunningCall,
  request: RequestCall,
  found: PolicyTool | undefined,
  unwrapped: object | undefined,
): Validated | Promise<Validated> {
  const { policy } = call;
  if (found === undefined) {
    // The three tools of search mode are tools of the SDK alone. All others are unknown to the SDK as well.
    if (policy.search?.names.has(call.tool) !== true) call.outcome = "unknown-tool";
    return unwrapped === undefined ? AS_SENT : refuseNamed(call);
  }
  const isHidden = !isOfAdmin(request) && (found.isDraft || !policy.allows(call.context.principal, call.tool));
  if (isHidden) {
    call.outcome = found.isDraft ? "unknown-tool" : "denied";
    return unwrapped === undefined ? { refusal: request.refuseAsUnknown() } : refuseNamed(call);
  }
  call.found = found;
  const counted = takePlace(call, request, found.limits);
  return counted === undefined
    ? repair(call, request, found, unwrapped)
    : counted.then(() => repair(call, request, found, unwrapped));
}

/** Puts arguments right that models often get wrong. */
function repair(call: RunningCall, request: RequestCall, found: PolicyTool, unwrapped: object | undefined): Validated {
  const repaired = typeof call.args === "object" && call.args !== null ? found.route.repair?.(call.args) : undefined;
  if (unwrapped === undefined && (repaired === undefined || repaired === call.args)) return AS_SENT;
  if (repaired !== undefined) call.args = repaired;
  return { params: { ...(unwrapped ?? request.params), arguments: call.args } };
}

function isOfAdmin({ origin }: RequestCall): boolean {
  return origin.binding === ADMIN_BINDING;
}

/** Goes on with the tool that `call_tool` names. */
function rename(call: RunningCall, params: object): void {
  const { name, arguments: args } = params as { readonly name: string; readonly arguments?: unknown };
  call.tool = name;
  call.args = args;
}

/** Refuses a tool that the model has named in an argument: it should read that. */
function refuseNamed(call: RunningCall): never {
  throw new ToolError(`Unknown tool: ${call.tool.slice(0, 128)}`);
}

/**
 * Takes a place within limits. The pipeline gives it back at the end of the call. In a cluster, the calls of a principal count over all
 * gateways, and this resolves later.
 */
function takePlace(call: RunningCall, request: RequestCall, limits: CallLimits): Promise<void> | undefined {
  // A task that goes on after an answer was counted when it began.
  if (limits === UNLIMITED || isOfAdmin(request) || request.isDetached) return undefined;
  const { principal, start } = call;
  const settle = (problem: string | undefined): void => {
    if (problem !== undefined) {
      call.outcome = "rate-limited";
      throw new ToolError(problem);
    }
    call.places.push(limits);
  };
  if (principal !== undefined && request.limits !== undefined) {
    return limits.takeShared(principal, start, request.limits).then(settle);
  }
  settle(limits.take(principal ?? addressOf(request.origin.connection), start));
  return undefined;
}

/** Gives back the places of a call that is over. */
export function releasePlaces(call: RunningCall): void {
  for (const limits of call.places.splice(0)) limits.release();
}

/** Callers without a key are told apart by their address. Those in sessions cannot be, so they are one. */
function addressOf(connection: object): string {
  return (connection instanceof Socket ? connection.remoteAddress : undefined) ?? "";
}
