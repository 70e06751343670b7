import type { CallToolResult, Context } from "@toolwire/server";
import type { ToolRoute } from "../routes/tool-route.ts";

/** Makes the tool by which a caller logs in at an upstream that lists nothing before. `connect` throws if it was not done. */
export function connectRoute(
  upstream: string,
  connect: (ctx: Context) => Promise<void>,
): ToolRoute<object, CallToolResult> {
  return {
    source: "mcp",
    title: `Connect ${upstream}`,
    description:
      `The tools of ${upstream} need an account of the user. Call this to let the user log in: it shows a page, or returns a ` +
      "link to give to the user. The tools are listed afterwards.",
    input: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    resolve: (args) => args,
    authorize: (request) => request,
    async send(_args, call, ctx) {
      call.attempts = 1;
      await connect(ctx);
      return {
        content: [{ type: "text", text: `Your account at ${upstream} is connected. Its tools are listed now.` }],
      };
    },
    transform: (result) => result,
  };
}
