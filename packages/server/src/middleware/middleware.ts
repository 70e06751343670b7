import { isObject } from "@toolwire/protocol/internal";
import { UsageError, type Tool } from "@toolwire/protocol";
import { describeKind } from "../define/check-options.ts";
import type { PrintedHint } from "../define/tool.ts";
import type { Context } from "../request/context.ts";
import { isThenable } from "../request/thenable.ts";
import type { Origin } from "../binding.ts";

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
export type Middleware = (call: RequestCall, next: Next) => MiddlewareReturn<"return what `next()` resolves to">;

/**
 * What middleware may return: a result, or the promise of one. A promise is an object, too, so a bare `object` would admit
 * the promise of nothing. `Hint` is for the compiler's messages alone.
 */
export type MiddlewareReturn<Hint extends string = string> =
  | Promise<object>
  | (object & { readonly then?: never })
  | PrintedHint<Hint>;

/** Continues with the request, with other parameters if any are given. */
export type Next = (params?: object) => Promise<object>;

/** Takes note of the parts of a request's work that run. */
interface Tracker {
  track<T>(part: T | PromiseLike<T>): Promise<T>;
}

/**
 * Runs a request through middleware, outermost first, and then to its handler. `tool` is the name of the tool that the
 * middleware goes around; without it, the middleware goes around all requests.
 *
 * What each layer returns is checked before the layer around it sees it: the outer one could make a result of nothing,
 * and nobody would learn which layer forgot to return.
 */
export function runThrough(
  middleware: readonly Middleware[],
  call: RequestCall,
  tracker: Tracker,
  handle: (params: object | undefined) => object | Promise<object>,
  tool?: string,
): object | Promise<object> {
  const expectResult = (index: number, result: unknown): object => {
    if (isObject(result)) return result;
    throw noResult(index, middleware[index]?.name, tool, result);
  };
  const enter = (index: number, current: RequestCall): object | Promise<object> => {
    const layer = middleware[index];
    if (layer === undefined) return handle(current.params);
    const returned: unknown = layer(current, (params) => {
      // A promise also of what is thrown at once, so that middleware can rely on one way of failing.
      try {
        return tracker.track(enter(index + 1, params === undefined ? current : withParams(current, params)));
      } catch (error) {
        return Promise.reject(error as Error);
      }
    });
    if (!isThenable(returned)) return expectResult(index, returned);
    return Promise.resolve(returned).then((result) => expectResult(index, result));
  };
  return enter(0, call);
}

/** The error for the operator. The caller only gets its id. */
function noResult(index: number, name = "", tool: string | undefined, returned: unknown): UsageError {
  const owner = tool === undefined ? "the server" : `tool "${tool}"`;
  const place = `middleware[${index}] of ${owner}${name === "" ? "" : ` ("${name}")`}`;
  return new UsageError(
    "INVALID_ARGUMENT",
    `${place} returned ${returned === undefined ? "nothing" : describeKind(returned)}, but must return the result of \`next()\` or another one: \`return await next()\`.`,
  );
}

/** The same request with other parameters. */
export function withParams(call: RequestCall, params: object): RequestCall {
  const { method, context, origin, tool } = call;
  return { method, params, context, origin, tool, abort: (reason) => call.abort(reason) };
}
