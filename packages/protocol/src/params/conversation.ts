import { isObject } from "../model/json.ts";

/** A rule that the messages of a sampling request break, and where. */
export type ConversationProblem =
  /** There is no array of messages. */
  | { readonly kind: "not-an-array" }
  /** There are more blocks of content than allowed. */
  | { readonly kind: "too-long" }
  /** A message without a role, or with content that has no type. */
  | { readonly kind: "malformed"; readonly index: number }
  /** A message with tool results beside other content. */
  | { readonly kind: "mixed-results"; readonly index: number }
  /** The result of a tool that the message before does not use. */
  | { readonly kind: "unknown-result"; readonly index: number }
  /** A tool whose result is not in the message after. */
  | { readonly kind: "missing-result"; readonly index: number; readonly id: unknown; readonly tool: unknown };

type Fields = { readonly [key: string]: unknown };

/**
 * Finds the first problem of a conversation. Messages have a role and content. Models insist that every use of a tool is followed
 * by its results, and that results stand alone (sampling page, "Tool Use and Result Balance").
 */
export function findConversationProblem(
  messages: unknown,
  maxBlocks: number = Infinity,
): ConversationProblem | undefined {
  if (!Array.isArray(messages)) return { kind: "not-an-array" };
  let count = 0;
  let uses: readonly Fields[] = [];
  for (const [index, message] of (messages as readonly unknown[]).entries()) {
    const { role, content }: Fields = isObject(message) ? message : {};
    const blocks = (Array.isArray(content) ? content : [content]) as readonly Fields[];
    count += Math.max(blocks.length, 1);
    if (count > maxBlocks) return { kind: "too-long" };
    if ((role !== "user" && role !== "assistant") || !blocks.every(isBlock)) return { kind: "malformed", index };
    const results = role === "user" ? blocks.filter(({ type }) => type === "tool_result") : [];
    if (results.length > 0 && results.length < blocks.length) return { kind: "mixed-results", index };
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    const missing = uses.find(({ id }) => !answered.has(id));
    if (missing !== undefined) return missingResult(missing, index - 1);
    const used = new Set(uses.map(({ id }) => id));
    if (results.some(({ toolUseId }) => !used.has(toolUseId))) return { kind: "unknown-result", index };
    uses = blocks.filter(({ type }) => type === "tool_use");
  }
  return uses[0] && missingResult(uses[0], messages.length - 1);
}

function isBlock(block: unknown): boolean {
  return isObject(block) && typeof block["type"] === "string";
}

function missingResult({ id, name }: Fields, index: number): ConversationProblem {
  return { kind: "missing-result", index, id, tool: name };
}
