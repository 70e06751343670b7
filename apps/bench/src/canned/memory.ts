/** The canned server in the client's own process. */
import { answerOther, callResult } from "./answers.ts";

/** Answers a message with an object, or with nothing if it was a notification. */
export function answerInMemory(bytes: number): (message: object) => object | undefined {
  const result = callResult(bytes);
  return (message) => {
    const { id, method } = message as { readonly id?: unknown; readonly method?: string };
    if (method === "tools/call") return { jsonrpc: "2.0", id, result };
    return answerOther({ id, method: method ?? "" });
  };
}
