import { ErrorCode, RpcError } from "@toolwire/protocol";
import { expectLimit, expectOptions, LONGEST_TIMER } from "@toolwire/protocol/internal";
import { ToolError } from "../errors.ts";
import type { ServerMiddleware, RequestCall } from "../define/middleware.ts";

/** The options of {@link timeLimit}. */
export interface ServerTimeLimitOptions {
  /**
   * The limit in milliseconds, including the time that a legacy client takes to answer questions. `Infinity` for no
   * limit.
   */
  readonly timeout: number;
}

/**
 * Middleware that ends requests that take too long: `ctx.signal` aborts and the caller gets an error, whether or not
 * the handler stops. A handler that does not stop counts as a request in flight until it does. Subscriptions are not
 * limited, and neither is what goes on after its answer, such as a task. Each request has a timer of its own, because in workers a timer ends with the request in which it was set.
 */
export function timeLimit(options: ServerTimeLimitOptions): ServerMiddleware {
  const timeout = expectLimit("timeout", expectOptions("timeLimit", options, { timeout: true }).timeout);
  return (call, next) => {
    // A timer would fire at once, so a longer limit has none.
    if (timeout > LONGEST_TIMER || call.method === "subscriptions/listen" || call.isDetached) return next();
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        if (call.isDetached) return;
        const error = tooLate(call, timeout);
        call.abort(error);
        reject(error);
      };
      const timer = setTimeout(expire, timeout);
      next()
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    });
  };
}

function tooLate(call: RequestCall, timeout: number): Error {
  const what = call.tool === undefined ? "The request" : `Tool "${call.tool.name}"`;
  const message = `${what} took longer than ${timeout} ms and was stopped.`;
  const cause = new DOMException(message, "TimeoutError");
  if (call.tool === undefined) return new RpcError(ErrorCode.InternalError, message, { cause });
  return new ToolError(message, { cause });
}
