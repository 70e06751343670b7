/**
 * All that it takes to ask a client something. Loaded when a handler first does, or a client first answers: most servers
 * never ask.
 */
import { UsageError } from "@toolwire/protocol";
import { PushedQuestions } from "../legacy/ask-client.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Questions } from "./questions.ts";
import { ReplayedQuestions } from "./replay.ts";

export { elicit, listRoots, sample, tryElicit } from "./ask.ts";

/** How this request asks its client. */
export function createQuestions(call: ServedRequest): Questions {
  return call.perRequest === undefined ? new PushedQuestions(call) : new ReplayedQuestions(call);
}

/** Refuses to ask where there is nobody who could answer any more, or where the protocol has no place for questions. */
export function expectAskable({ isOver, target, method }: ServedRequest): void {
  if (isOver) {
    throw new UsageError(
      "INVALID_STATE",
      "The request is over, so its client cannot be asked any more: await what you ask.",
    );
  }
  if (target === undefined) {
    throw new UsageError(
      "UNSUPPORTED",
      `Clients cannot be asked during ${method}: only in tools, prompts and the reading of resources.`,
    );
  }
}
