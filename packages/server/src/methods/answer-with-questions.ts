import type { RetryParams } from "@toolwire/protocol";
import type { Awaitable } from "../definition/tool.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { isThenable } from "../request/thenable.ts";

/** Runs a handler that may ask its client something, and makes an answer of what it returns. */
export function answerWithQuestions<T>(
  call: ServedRequest,
  params: RetryParams,
  work: () => Awaitable<T>,
  build: (returned: T) => object,
): object | Promise<object> {
  call.target = params;
  const finish = (returned: T): object | Promise<object> => {
    const interim = call.interim();
    return interim === undefined ? build(returned) : interim.then((asked) => asked ?? build(returned));
  };
  const fail = async (error: unknown): Promise<object> => {
    const asked = await call.interim();
    if (asked !== undefined) return asked;
    throw error;
  };
  if (params.requestState !== undefined || params.inputResponses !== undefined) {
    const resumed = call.resume(params).then(() => {
      call.expectWanted();
      return work();
    });
    return resumed.then(finish, fail);
  }
  const returned = work();
  return isThenable(returned) ? Promise.resolve(returned).then(finish, fail) : finish(returned);
}
