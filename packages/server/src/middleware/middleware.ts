import type { Tool } from "@toolwire/protocol";
import type { Context } from "../request/context.ts";
import type { Origin } from "../serving/contract.ts";

/** A request on its way to its handler, as middleware sees it. */
export interface RequestCall {
  readonly method: string;
  /** The parameters as the client sent them, not checked yet. */
  readonly params: object | undefined;
  readonly context: Context;
  /** The binding and connection that the request came through. */
  readonly origin: Origin;
  /** The tool that is called, as it is listed. `undefined` for other requests, and if there is no such tool. */
  readonly tool: Tool | undefined;
  /** Tells the handler to stop, through `context.signal`. */
  abort(reason: unknown): void;
}

/**
 * A function around every request, or around every call of a tool. Call `next` to continue. Return its result or
 * another one, or throw `RpcError` or `ToolError` to refuse. The first in the list is the outermost.
 *
 * Do not change results in place, because they may be shared. Return a changed copy.
 */
export type Middleware = (call: RequestCall, next: Next) => Promise<object> | object;

/** Continues with the request, with other parameters if any are given. */
export type Next = (params?: object) => Promise<object>;

/** Takes note of the parts of a request's work that run. */
interface Tracker {
  track<T>(part: T | PromiseLike<T>): Promise<T>;
}

/** Runs a request through middleware, outermost first, and then to its handler. */
export function runThrough(
  middleware: readonly Middleware[],
  call: RequestCall,
  tracker: Tracker,
  handle: (params: object | undefined) => object | Promise<object>,
): object | Promise<object> {
  const enter = (index: number, current: RequestCall): object | Promise<object> => {
    const layer = middleware[index];
    if (layer === undefined) return handle(current.params);
    return layer(current, (params) => {
      // A promise also of what is thrown at once, so that middleware can rely on one way of failing.
      try {
        return tracker.track(enter(index + 1, params === undefined ? current : withParams(current, params)));
      } catch (error) {
        return Promise.reject(error as Error);
      }
    });
  };
  return enter(0, call);
}

/** The same request with other parameters. */
export function withParams(call: RequestCall, params: object): RequestCall {
  const { method, context, origin, tool } = call;
  return { method, params, context, origin, tool, abort: (reason) => call.abort(reason) };
}
