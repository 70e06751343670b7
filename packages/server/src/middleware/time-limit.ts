import { ErrorCode, RpcError } from "@toolwire/protocol";
import { Deadlines } from "@toolwire/protocol/engine";
import { ToolError } from "../errors.ts";
import type { Middleware, RequestCall } from "./middleware.ts";

/** How long is too long. */
export interface TimeLimitOptions {
  /** Milliseconds, which include the time that a legacy client takes to answer questions. */
  readonly ms: number;
}

/**
 * Ends requests that take too long: their `ctx.signal` aborts, and the caller is told, whether or not the handler stops.
 * Subscriptions are meant to last, and do. All requests share one timer.
 */
export function timeLimit({ ms }: TimeLimitOptions): Middleware {
  const deadlines = new Deadlines();
  return (call, next) => {
    if (call.method === "subscriptions/listen") return next();
    return new Promise((resolve, reject) => {
      const watch = {
        deadline: performance.now() + ms,
        expire() {
          const error = tooLate(call, ms);
          call.abort(error);
          reject(error);
        },
      };
      deadlines.add(watch);
      next()
        .finally(() => deadlines.delete(watch))
        .then(resolve, reject);
    });
  };
}

function tooLate(call: RequestCall, ms: number): Error {
  if (call.tool === undefined) {
    return new RpcError(ErrorCode.InternalError, `The request took longer than ${ms} ms and was stopped.`);
  }
  return new ToolError(`Tool "${call.tool.name}" took longer than ${ms} ms and was stopped.`);
}
