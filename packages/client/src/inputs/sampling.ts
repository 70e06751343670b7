import { isObject } from "@toolwire/protocol";

/**
 * What is wrong with the conversation of a sampling request: models insist that every use of a tool is followed by its
 * results, and that results stand alone (sampling, "Tool Use and Result Balance"). `undefined` if all is well.
 */
export function checkConversation(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return "`messages` must be an array";
  let open: readonly unknown[] = [];
  for (const message of messages as readonly unknown[]) {
    if (!isObject(message)) return "each of `messages` must be an object";
    const blocks = blocksOf(message["content"]);
    const results = idsOf(blocks, "tool_result", "toolUseId");
    if (results.length > 0 && results.length < blocks.length) return "Tool results mixed with other content";
    if (open.some((id) => !results.includes(id))) return "Tool result missing in request";
    open = idsOf(blocks, "tool_use", "id");
  }
  return open.length > 0 ? "Tool result missing in request" : undefined;
}

function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [content];
}

function idsOf(blocks: readonly unknown[], type: string, key: string): unknown[] {
  return blocks.flatMap((block) => (isObject(block) && block["type"] === type ? [block[key]] : []));
}
