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
  const finish = (returned: T): object | Promise<object> => unlessAsked(call, () => build(returned));
  const fail = (error: unknown): object | Promise<object> =>
    unlessAsked(call, () => {
      throw error;
    });
  try {
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined;
    const returned = isRetry ? call.resume(params).then(work) : work();
    return isThenable(returned) ? Promise.resolve(returned).then(finish, fail) : finish(returned);
  } catch (error) {
    return fail(error);
  }
}

function unlessAsked(call: ServedRequest, answer: () => object | Promise<object>): object | Promise<object> {
  const interim = call.interim();
  return interim === undefined ? answer() : interim.then((asked) => asked ?? answer());
}
