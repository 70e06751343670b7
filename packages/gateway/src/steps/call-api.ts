import type { Context } from "@toolwire/server";
import type { ToolRoute } from "../routes/tool-route.ts";
import type { RunningCall } from "./running-call.ts";

/**
 * Step 4: sends the request, and resolves with the response, within the time limit, and no later than the caller waits. The
 * promise is the route's own: another one around it would cost every call a turn.
 */
export function callApi(route: ToolRoute, request: unknown, call: RunningCall, ctx: Context): Promise<unknown> {
  return route.send(request, call, ctx);
}
