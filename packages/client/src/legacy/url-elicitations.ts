import { isObject } from "@toolwire/protocol/internal";
import type { RpcError } from "@toolwire/protocol";
import type { Call } from "../calls/call.ts";
import { contextOf, inRound, waitForPeople, type RoundOptions } from "../calls/input-rounds.ts";
import { answerQuestion, refusalOf } from "../inputs/answer.ts";

/**
 * Sends the user to each page that a `URLElicitationRequiredError` (2025-11-25 only) wants visited before the request is
 * sent again. Rejects with that error unless they agree to all of them.
 */
export function visitPages(call: Call, error: RpcError, options: RoundOptions): Promise<void> {
  return inRound(call, options, async (round) => {
    const pages = isObject(error.data) ? error.data["elicitations"] : undefined;
    if (!Array.isArray(pages) || pages.length === 0) throw error;
    for (const page of pages as readonly unknown[]) {
      const question = { ...(page as object), mode: "url" };
      if (refusalOf(round.inputs, "elicitation/create", question) !== undefined) throw error;
      const asked = answerQuestion(round.inputs, "elicitation/create", question, contextOf(round));
      const answer = await waitForPeople(round, asked);
      if ((answer as { readonly action?: unknown }).action !== "accept") throw error;
    }
  });
}
