import type { Context } from "@toolwire/server";
import type { ToolRoute } from "../routes/tool-route.ts";
import type { RunningCall } from "./running-call.ts";

/**
 * Step 3: adds credentials to the request. It comes after the arguments, so that none of them can overwrite a credential.
 * Most credentials are at hand, so this rarely returns a promise.
 */
export function injectAuth(route: ToolRoute, request: unknown, call: RunningCall, ctx: Context): unknown {
  const authorized = route.authorize(request, call, ctx);
  if (authorized instanceof Promise) return authorized.then((ready) => end(ready, call));
  return end(authorized, call);
}

function end(request: unknown, call: RunningCall): unknown {
  call.endStep("authorize");
  return request;
}
