/**
 * All that it takes to ask a client something. Loaded when a handler first does, or a client first answers: most servers
 * never ask.
 */
import { PushedQuestions } from "../legacy/push.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Questions } from "./questions.ts";
import { ReplayedQuestions } from "./replay.ts";

export { elicit, listRoots, sample, tryElicit } from "./ask.ts";

/** How this request asks its client. */
export function createQuestions(call: ServedRequest): Questions {
  return call.perRequest === undefined ? new PushedQuestions(call) : new ReplayedQuestions(call);
}
