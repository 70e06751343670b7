import { UsageError, type SamplingMessage } from "@toolwire/protocol";
import { findConversationProblem, type ConversationProblem } from "@toolwire/protocol/internal";

/**
 * Checks the messages of a sampling request before they are sent: models refuse a conversation in which a use of a tool is not
 * followed by its result (sampling page, "Tool Use and Result Balance").
 *
 * @throws UsageError `INVALID_ARGUMENT`
 */
export function checkToolTurns(messages: readonly SamplingMessage[]): void {
  const problem = findConversationProblem(messages);
  if (problem !== undefined) throw new UsageError("INVALID_ARGUMENT", explain(problem));
}

function explain(problem: ConversationProblem): string {
  switch (problem.kind) {
    case "mixed-results":
      return `messages[${problem.index}] mixes results of tools with other content: send what else there is to say in a message of its own.`;
    case "unknown-result":
      return `messages[${problem.index}] has the result of a tool that the message before it does not use: leave it out, or put the \`tool_use\` in front.`;
    case "missing-result":
      return (
        `messages[${problem.index}] uses the tool "${String(problem.tool)}" (id ${JSON.stringify(problem.id)}), but the message after it has no result for it: ` +
        "add one message of the user with a `tool_result` for each `tool_use`."
      );
    case "malformed":
      return `messages[${problem.index}] must have the \`role\` "user" or "assistant", and \`content\` with a \`type\`.`;
    default:
      return "`messages` must be an array of messages.";
  }
}
