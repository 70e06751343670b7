import { UsageError, type SamplingContentBlock, type SamplingMessage } from "@toolwire/protocol";

/**
 * Checks that whoever asks a model again has answered all tools it wanted to use, and nothing else in the same breath:
 * the interfaces of models accept nothing else (sampling page, "Tool Use and Result Balance").
 *
 * @throws UsageError `INVALID_ARGUMENT`
 */
export function checkToolTurns(messages: readonly SamplingMessage[]): void {
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = toBlocks(content);
    const isMixed = blocks.some(isResult) && !blocks.every(isResult);
    if (role === "user" && isMixed) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `messages[${index}] mixes results of tools with other content: send what else there is to say in a message of its own.`,
      );
    }
    const used = new Set(toBlocks(messages[index - 1]?.content).flatMap((block) => (isUse(block) ? [block.id] : [])));
    const orphan = blocks.find((block) => role === "user" && isResult(block) && !used.has(block.toolUseId));
    if (orphan !== undefined) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `messages[${index}] has the result of a tool that the message before it does not use: leave it out, or put the \`tool_use\` in front.`,
      );
    }
    const next = messages[index + 1];
    const following = next?.role === "user" ? toBlocks(next.content) : [];
    const answered = new Set(following.flatMap((block) => (isResult(block) ? [block.toolUseId] : [])));
    for (const block of blocks) {
      if (!isUse(block) || answered.has(block.id)) continue;
      throw new UsageError(
        "INVALID_ARGUMENT",
        `messages[${index}] uses the tool "${block.name}" (id ${JSON.stringify(block.id)}), but the message after it has no result for it: ` +
          "add one message of the user with a `tool_result` for each `tool_use`.",
      );
    }
  }
}

function toBlocks(content: SamplingMessage["content"] = []): readonly SamplingContentBlock[] {
  return [content].flat() as SamplingContentBlock[];
}

function isUse(block: SamplingContentBlock): block is Extract<SamplingContentBlock, { type: "tool_use" }> {
  return block.type === "tool_use";
}

function isResult(block: SamplingContentBlock): block is Extract<SamplingContentBlock, { type: "tool_result" }> {
  return block.type === "tool_result";
}
