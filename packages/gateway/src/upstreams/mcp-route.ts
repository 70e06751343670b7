import type { CallToolResult } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import type { RelayedTool } from "@toolwire/relay";
import type { ToolRoute } from "../routes/tool-route.ts";
import type { LimitResult } from "./limit-result.ts";

/** Makes the route to a tool of an upstream, whose results have limits. */
export function mcpRoute(relayed: RelayedTool, limit: LimitResult): ToolRoute<object, CallToolResult> {
  return {
    source: "mcp",
    ...relayed.listing,
    task: relayed.task,
    resolve: (args) => args,
    authorize: (request) => request,
    send(args, call, ctx) {
      const sent = relayed.send(args, ctx);
      call.attempts = 1;
      return sent;
    },
    transform(result, call) {
      call.responseBytes = sizeOf(result.content);
      const limited = limit(result, call.responseBytes);
      call.isTruncated = limited.isTruncated;
      return relayed.transform(limited.result);
    },
  };
}

/** The length of texts and binary data, which is nearly all of a result. Measuring the rest would mean writing it as JSON. */
function sizeOf(content: readonly object[]): number {
  let size = 0;
  for (const block of content as readonly { text?: unknown; data?: unknown; resource?: unknown }[]) {
    size += lengthOf(block.text) + lengthOf(block.data);
    if (isObject(block.resource)) size += lengthOf(block.resource["text"]) + lengthOf(block.resource["blob"]);
  }
  return size;
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}
