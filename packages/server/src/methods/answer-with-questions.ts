import type { RetryParams } from "@toolwire/protocol";
import type { Awaitable } from "../definition/tool.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { isThenable } from "../request/thenable.ts";

/**
 * Runs a handler that may ask its client something, and makes an answer of what it returns. If there are open questions,
 * they are the answer: what the handler returned or threw without theirs was not meant for this case.
 */
export function answerWithQuestions<T>(
  call: ServedRequest,
  params: RetryParams,
  work: () => Awaitable<T>,
  build: (returned: T) => object | Promise<object>,
): object | Promise<object> {
  call.target = params;
  try {
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined;
    const returned = isRetry ? call.resume(params).then(work) : work();
    if (!isThenable(returned)) return unlessAsked(call, build, returned);
    return Promise.resolve(returned).then(
      (value) => unlessAsked(call, build, value),
      (error: unknown) => unlessAsked(call, rethrow, error),
    );
  } catch (error) {
    return unlessAsked(call, rethrow, error);
  }
}

function unlessAsked<T>(
  call: ServedRequest,
  answer: (outcome: T) => object | Promise<object>,
  outcome: T,
): object | Promise<object> {
  const interim = call.interim();
  return interim === undefined ? answer(outcome) : interim.then((asked) => asked ?? answer(outcome));
}

function rethrow(error: unknown): never {
  throw error;
}
