import type { CallToolResult, ContentBlock } from "@toolwire/server";
import { SECRET_MARK } from "../secrets/secret.ts";
import type { PipelineHost } from "./policy.ts";
import type { RunningCall } from "./running-call.ts";

/** Shorter credentials are not looked for: they would be found in texts that have nothing to do with them. */
const SHORTEST = 8;

/**
 * Step 7: hands the result to the SDK, which writes the response. No text contains the credentials of the call: some APIs
 * repeat what was sent to them. The texts of failures are cleared of all other secrets, too.
 */
export function returnResult(result: object, call: RunningCall, host: PipelineHost): object {
  const { isError, content } = result as CallToolResult;
  if ((isError !== true && call.secrets === undefined) || !Array.isArray(content)) return result;
  let isChanged = false;
  const cleared = content.map((block: ContentBlock): ContentBlock => {
    if (block.type !== "text") return block;
    const own = withoutSecrets(block.text, call.secrets);
    const text = isError === true ? host.redact(own) : own;
    if (text === block.text) return block;
    isChanged = true;
    return { ...block, text };
  });
  return isChanged ? { ...result, content: cleared } : result;
}

/** Takes the credentials of a call out of a text. */
function withoutSecrets(text: string, secrets: readonly string[] | undefined): string {
  let cleared = text;
  for (const secret of secrets ?? []) {
    if (secret.length >= SHORTEST && cleared.includes(secret)) cleared = cleared.replaceAll(secret, SECRET_MARK);
  }
  return cleared;
}
