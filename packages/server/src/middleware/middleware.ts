import type { Tool } from "@toolwire/protocol";
import type { Context } from "../request/context.ts";
import type { Origin } from "../serving/contract.ts";

/** A request on its way to its handler. */
export interface RequestCall {
  readonly method: string;
  /** As they came: not checked yet. */
  readonly params: object | undefined;
  readonly context: Context;
  /** Which binding and connection it came through. */
  readonly origin: Origin;
  /** The tool that is called, as it is listed; `undefined` for other requests, and if there is no such tool. */
  readonly tool: Tool | undefined;
  /** Tells the handler to stop, through `context.signal`. */
  abort(reason: unknown): void;
}

/**
 * Code around every request, or around every call of a tool. Call `next` to go on, return what it returns or something
 * else, throw `RpcError` or `ToolError` to refuse. The first in the list is the outermost.
 *
 * Results are not to be changed in place: they may be shared. Return a copy with the changes.
 */
export type Middleware = (call: RequestCall, next: Next) => Promise<object> | object;

/** Goes on with the request; with other parameters, if any are given. */
export type Next = (params?: object) => Promise<object>;

/** Runs a request through middleware, outermost first, and then to its handler. */
export function runThrough(
  middleware: readonly Middleware[],
  call: RequestCall,
  handle: (params: object | undefined) => object | Promise<object>,
): object | Promise<object> {
  const enter = (index: number, current: RequestCall): object | Promise<object> => {
    const layer = middleware[index];
    if (layer === undefined) return handle(current.params);
    return layer(current, (params) => {
      // A promise also of what is thrown at once, so that middleware can rely on one way of failing.
      try {
        return Promise.resolve(enter(index + 1, params === undefined ? current : withParams(current, params)));
      } catch (error) {
        return Promise.reject(error as Error);
      }
    });
  };
  return enter(0, call);
}

/** The same request with other parameters. */
export function withParams(call: RequestCall, params: object): RequestCall {
  return {
    method: call.method,
    params,
    context: call.context,
    origin: call.origin,
    tool: call.tool,
    abort: (reason) => call.abort(reason),
  };
}
