import type { RetryParams } from "@toolwire/protocol";
import type { Awaitable } from "../define/tool.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { isThenable } from "../request/thenable.ts";

/** Makes an answer of something. */
type Answering<T> = (outcome: T) => object | Promise<object>;

/** Makes an answer of an error, or throws one. */
type Failing = (error: unknown) => object;

/**
 * Runs a handler that may ask its client something, and makes an answer of what it returns. If there are open questions,
 * they are the answer: what the handler returned or threw without theirs was not meant for this case. What is thrown goes
 * through `fail` right here, because every promise that is put around another costs a turn.
 */
export function answerWithQuestions<T>(
  call: ServedRequest,
  params: RetryParams,
  work: () => Awaitable<T>,
  build: Answering<T>,
  fail: Failing = rethrow,
): object | Promise<object> {
  call.target = params;
  try {
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined;
    const returned = isRetry ? call.resume(params).then(work) : work();
    if (!isThenable(returned)) return unlessAsked(call, build, returned, fail);
    return Promise.resolve(returned).then(
      (value) => unlessAsked(call, build, value, fail),
      (error: unknown) => unlessAsked(call, rethrow, error, fail),
    );
  } catch (error) {
    return unlessAsked(call, rethrow, error, fail);
  }
}

function unlessAsked<T>(
  call: ServedRequest,
  answer: Answering<T>,
  outcome: T,
  fail: Failing,
): object | Promise<object> {
  try {
    const interim = call.interim();
    const answered = interim === undefined ? answer(outcome) : interim.then((asked) => asked ?? answer(outcome));
    return isThenable(answered) ? answered.then(undefined, fail) : answered;
  } catch (error) {
    return fail(error);
  }
}

function rethrow(error: unknown): never {
  throw error;
}
