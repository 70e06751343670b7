import type { RetryParams } from "@toolwire/protocol";
import type { Awaitable } from "../define/tool.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { isThenable } from "../request/thenable.ts";

/** Work that may ask its client something, and how its outcome becomes a result. */
export interface AskingWork<T> {
  run(): Awaitable<T>;
  /** Makes a result of the return value of `run`. */
  conclude(returned: T): object | Promise<object>;
  /** Makes a result of an error, or throws one. */
  fail(error: unknown): object;
}

/**
 * Runs work that may ask its client something. If there are open questions, they are the result, whatever the work
 * returned or threw: it has not seen their answers. Errors go through `fail` right here, because every promise around
 * another one costs a turn.
 */
export function runAsking<T>(
  request: ServedRequest,
  params: RetryParams,
  work: AskingWork<T>,
): object | Promise<object> {
  request.target = params;
  try {
    const isRetry = params.requestState !== undefined || params.inputResponses !== undefined;
    const returned = isRetry ? request.resume(params).then(() => work.run()) : work.run();
    if (!isThenable(returned)) return unlessAsked(request, work, returned);
    return Promise.resolve(returned).then(
      (value) => unlessAsked(request, work, value),
      (error: unknown) => failUnlessAsked(request, work, error),
    );
  } catch (error) {
    return failUnlessAsked(request, work, error);
  }
}

function unlessAsked<T>(request: ServedRequest, work: AskingWork<T>, returned: T): object | Promise<object> {
  try {
    const interim = request.interim();
    const result =
      interim === undefined ? work.conclude(returned) : interim.then((asked) => asked ?? work.conclude(returned));
    return isThenable(result) ? result.then(undefined, (error: unknown) => work.fail(error)) : result;
  } catch (error) {
    return work.fail(error);
  }
}

function failUnlessAsked(
  request: ServedRequest,
  work: Pick<AskingWork<unknown>, "fail">,
  error: unknown,
): object | Promise<object> {
  const interim = request.interim();
  if (interim === undefined) return work.fail(error);
  return interim.then(
    (asked) => asked ?? work.fail(error),
    (cause: unknown) => work.fail(cause),
  );
}

/** The `fail` of work whose errors are those of the request. */
export function rethrow(error: unknown): never {
  throw error;
}
