import { ProtocolViolation, type RequestMessage, type ResponseMessage } from "@toolwire/protocol";

/** What is wrong with a message that belongs to no request, where there is no session that it could belong to. */
export function explainStray(message: RequestMessage | ResponseMessage): ProtocolViolation {
  if ("method" in message) {
    const { method } = message;
    return new ProtocolViolation(
      "UNEXPECTED_REQUEST",
      `The server sent a request (${method}), which only legacy servers may.`,
    );
  }
  const { id } = message;
  return new ProtocolViolation(
    "UNKNOWN_RESPONSE",
    id === undefined
      ? `An error belongs to no request: ${"error" in message ? message.error.message : ""}`
      : `No response with the id ${JSON.stringify(id)} was awaited.`,
  );
}
