import type { Tool } from "@toolwire/protocol";
import type { RateLimitStore } from "../cluster/stores.ts";
import type { Origin } from "../origin.ts";
import type { Context } from "./context.ts";
import type { TracePlace } from "./observer.ts";
import type { Awaitable, PrintedHint } from "./tool.ts";

/** Hears that work is not wanted any more. */
export interface AbortListener {
  aborted(reason: unknown): void;
}

/**
 * The wish that work stops, for code that is called very often: it says the same as an `AbortSignal`, which takes several
 * microseconds to make and to listen to.
 */
export interface Cancellation {
  /** Tells a listener once the work is not wanted any more; at once, if it is not wanted already. */
  onAbort(listener: AbortListener): void;
  /** Forgets a listener. */
  offAbort(listener: AbortListener): void;
}

/** A request on its way to its handler, as middleware sees it. It aborts whenever `context.signal` does. */
export interface RequestCall extends Cancellation {
  readonly method: string;
  /** The parameters as the client sent them, not checked yet. */
  readonly params: object | undefined;
  readonly context: Context;
  /** The binding and connection that the request came through. */
  readonly origin: Origin;
  /** The tool that is called, as it is listed. `undefined` for other requests, and if there is no such tool. */
  readonly tool: Tool | undefined;
  /** Counts requests over all nodes of a cluster, for this server. `undefined` without a cluster. */
  readonly limits?: RateLimitStore | undefined;
  /** The place of the request in a trace, if the server has an observer that knows it. */
  readonly trace?: TracePlace | undefined;
  /** Whether the request was answered or cancelled, although the handler may still run. */
  readonly isOver: boolean;
  /** Whether nobody waits for the answer: it was given early, and the work goes on, as tasks do. */
  readonly isDetached: boolean;
  /** Whether the client has cancelled the request. */
  readonly isCancelled: boolean;
  /** Tells the handler to stop, through `context.signal`. */
  abort(reason: unknown): void;
  /** Finds the resource that serves a URI. `undefined` if it belongs to no definition. */
  findResource(uri: string): NamedResource | undefined;
  /** Finds the name of the family of resources that has this URI template. `undefined` if there is none. */
  findTemplate(uriTemplate: string): string | undefined;
  /**
   * Shows the caller only a part of the list that it asks for. Pages are filled with what is shown, so that nothing tells
   * how much is hidden. If several functions were given, all of them must agree.
   */
  showOnly(isShown: (item: object) => Awaitable<boolean>): void;
  /**
   * Answers as if the tool, prompt, resource or template that the request names did not exist.
   *
   * @throws RpcError the error for an unknown name, unless the server answers unknown tools with a result
   */
  refuseAsUnknown(): object;
}

/** A resource as its definition knows it, however the caller wrote its URI. */
export interface NamedResource {
  /** The name under which it, or its family, is defined. */
  readonly name: string;
  /** The URI of what is served. For a member of a family, the template filled in with {@link values}. */
  readonly uri: string;
  /** The values of the variables of the family's template: exactly what `read` gets. */
  readonly values?: { readonly [variable: string]: string | string[] | Record<string, string> } | undefined;
}

/**
 * A function around every request, or around every call of a tool. Call `next` to continue. Return its result or
 * another one, or throw `RpcError` or `ToolError` to refuse. The first in the list is the outermost.
 *
 * Do not change results in place, because they may be shared. Return a changed copy.
 */
export type ServerMiddleware = (
  call: RequestCall,
  next: ServerNext,
) => MiddlewareReturn<"return what `next()` resolves to">;

/**
 * A result, or the promise of one, as middleware returns it. A promise is an object, too, so a bare `object` would admit
 * the promise of nothing. `Hint` is for the compiler's messages alone.
 */
export type MiddlewareReturn<Hint extends string = string> =
  | Promise<object>
  | (object & { readonly then?: never })
  | PrintedHint<Hint>;

/** Continues with the request, with other parameters if any are given. */
export type ServerNext = (params?: object) => Promise<object>;
