import type { CallToolResult } from "@toolwire/server";
import type { ToolRoute } from "../routes/tool-route.ts";
import type { RunningCall } from "./running-call.ts";

/** Step 5: makes content blocks of the response. A response that is a failure becomes an error for the model. */
export function transform(route: ToolRoute, response: unknown, call: RunningCall, args: object): CallToolResult {
  const result = route.transform(response, call, args);
  call.endStep("transform");
  return result;
}
