import type { ToolRoute } from "../routes/tool-route.ts";
import type { RunningCall } from "./running-call.ts";

/** Step 2: maps the arguments to the request: path, query, headers, cookies and body. No credential is in it yet. */
export function resolveParameters(route: ToolRoute, args: object, call: RunningCall): unknown {
  const request = route.resolve(args, call);
  call.endStep("resolve");
  return request;
}
