import type { CallToolResult, ContentBlock } from "@toolwire/server";
import { clearText } from "../secrets/clear-values.ts";
import type { PipelineHost } from "./policy.ts";
import type { RunningCall } from "./running-call.ts";

/**
 * Step 7: hands the result to the SDK, which writes the response. No text contains the credentials of the call: some APIs
 * repeat what was sent to them. The texts of failures are cleared of all other secrets, too. What other MCP servers answer has been
 * cleared of their credentials already.
 */
export function returnResult(result: object, call: RunningCall, host: PipelineHost): object {
  const { isError, content } = result as CallToolResult;
  if ((isError !== true && call.secrets === undefined) || !Array.isArray(content)) return result;
  let isChanged = false;
  const cleared = content.map((block: ContentBlock): ContentBlock => {
    if (block.type !== "text") return block;
    const own = clearText(block.text, call.secrets);
    const text = isError === true ? host.redact(own) : own;
    if (text === block.text) return block;
    isChanged = true;
    return { ...block, text };
  });
  return isChanged ? { ...result, content: cleared } : result;
}
