import { isObject } from "@toolwire/protocol/internal";

/** More than any model is asked at once. */
const MAX_BLOCKS = 5_000;

/**
 * What is wrong with the conversation of a sampling request: messages have a role and content, and models insist that every
 * use of a tool is followed by its results, and that results stand alone (sampling, "Tool Use and Result Balance").
 * `undefined` if all is well.
 */
export function checkConversation(messages: unknown, maxBlocks: number = MAX_BLOCKS): string | undefined {
  if (!Array.isArray(messages)) return "`messages` must be an array";
  let count = 0;
  let open: ReadonlySet<unknown> = new Set();
  for (const message of messages as readonly unknown[]) {
    const { role, content }: Fields = isObject(message) ? message : {};
    const blocks = (Array.isArray(content) ? content : [content]) as readonly Fields[];
    if ((count += Math.max(blocks.length, 1)) > maxBlocks) {
      return `\`messages\` must have at most ${maxBlocks} blocks of content in all`;
    }
    if ((role !== "user" && role !== "assistant") || !blocks.every(isBlock)) {
      return "each of `messages` must have a `role`, and `content` with a `type`";
    }
    const results = role === "user" ? idsOf(blocks, "tool_result", "toolUseId") : [];
    if (results.length > 0 && results.length < blocks.length) return "Tool results mixed with other content";
    const answered = new Set(results);
    if ([...open].some((id) => !answered.has(id))) return "Tool result missing in request";
    if (results.some((id) => !open.has(id))) return "Tool result of no tool use";
    open = new Set(idsOf(blocks, "tool_use", "id"));
  }
  return open.size > 0 ? "Tool result missing in request" : undefined;
}

type Fields = { readonly [key: string]: unknown };

function isBlock(block: unknown): boolean {
  return isObject(block) && typeof block["type"] === "string";
}

function idsOf(blocks: readonly Fields[], type: string, key: string): unknown[] {
  return blocks.flatMap((block) => (block["type"] === type ? [block[key]] : []));
}
