import { ProtocolViolation, type RequestMessage, type ResponseMessage } from "@toolwire/protocol";
import { quoteWords } from "@toolwire/protocol/internal";

/**
 * What is wrong with a message that belongs to no request, where there is no session that it could belong to. Loaded
 * with the first of them.
 */
export function explainStray(message: RequestMessage | ResponseMessage): ProtocolViolation {
  if ("method" in message) {
    const problem = `The server sent a request (${quoteWords(message.method)}), which only legacy servers may.`;
    return new ProtocolViolation("UNEXPECTED_REQUEST", problem);
  }
  const said =
    "error" in message ? quoteWords(message.error.message) : `a result for ${quoteWords(String(message.id))}`;
  return new ProtocolViolation("UNKNOWN_RESPONSE", `An answer belongs to no request: ${said}`);
}
