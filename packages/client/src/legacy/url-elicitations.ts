import { isObject, type RpcError } from "@toolwire/protocol";
import { answerQuestion } from "../inputs/answer.ts";
import type { InputContext } from "../inputs/handlers.ts";
import type { Inputs } from "../inputs/inputs.ts";

/**
 * Sends the user to each page that a `URLElicitationRequiredError` (2025-11-25 only) wants visited before the request is
 * sent again. Rejects with that error unless they agree to all of them.
 */
export async function visitPages(error: RpcError, inputs: Inputs, context: InputContext): Promise<void> {
  const pages = isObject(error.data) ? error.data["elicitations"] : undefined;
  if (!Array.isArray(pages) || pages.length === 0) throw error;
  for (const page of pages as readonly unknown[]) {
    if (!isObject(page)) throw error;
    const answer = await answerQuestion(inputs, "elicitation/create", { ...page, mode: "url" }, context);
    if ((answer as { readonly action?: unknown }).action !== "accept") throw error;
  }
}
