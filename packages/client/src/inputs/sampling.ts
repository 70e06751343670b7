import { isObject } from "@toolwire/protocol";

/**
 * What is wrong with the conversation of a sampling request: messages have a role and content, and models insist that every
 * use of a tool is followed by its results, and that results stand alone (sampling, "Tool Use and Result Balance").
 * `undefined` if all is well.
 */
export function checkConversation(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return "`messages` must be an array";
  let open: readonly unknown[] = [];
  for (const message of messages as readonly unknown[]) {
    const { role, content } = isObject(message) ? message : {};
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
    if ((role !== "user" && role !== "assistant") || !blocks.every(isObject)) {
      return "each message must have a `role`, user or assistant, and `content`";
    }
    const results = idsOf(blocks, "tool_result", "toolUseId");
    if (results.length > 0 && results.length < blocks.length) return "Tool results mixed with other content";
    if (open.some((id) => !results.includes(id))) return "Tool result missing in request";
    open = idsOf(blocks, "tool_use", "id");
  }
  return open.length > 0 ? "Tool result missing in request" : undefined;
}

function idsOf(blocks: readonly { readonly [key: string]: unknown }[], type: string, key: string): unknown[] {
  return blocks.flatMap((block) => (block["type"] === type ? [block[key]] : []));
}
