import type { Era, Implementation, Revision, Tool } from "@toolwire/protocol";
import type { RequestOptions } from "../calls/request-options.ts";

/** The server that a call goes to. */
export interface CalledServer {
  /** The server's name and version. Self-reported: show it, log it, but do not base decisions on it. */
  readonly info: Implementation | undefined;
  readonly revision: Revision;
  readonly era: Era;
}

/** A call before it is sent, as middleware sees it. */
export interface OutgoingCall {
  readonly method: string;
  readonly params: object | undefined;
  readonly options: RequestOptions;
  readonly server: CalledServer;
  /**
   * The tool that is called, if it has been listed. Its description comes from the server and is not to be trusted. Do
   * not change it: the client itself uses this object.
   */
  readonly tool: Tool | undefined;
  /** Gets a copy of the tool that is called. If it has not been listed yet, the server is asked. */
  findTool(): Promise<Tool | undefined>;
  /**
   * Gets a copy of the parameters that were sent last, or looked up in the cache, after all inner middleware. `undefined` if
   * it never came to that.
   */
  sent(): object | undefined;
  /** Cancels the call, which rejects with the reason. */
  abort(reason: unknown): void;
}

/**
 * A function around every call. It sees what is about to be sent and what came back. Call `next` to continue. Return
 * its result or another one, or throw to refuse. The first in the list is the outermost.
 *
 * Cached results pass through it as well, as copies of what the server returned.
 *
 * Do not change results in place, because they may be shared. Return a changed copy.
 */
export type Middleware = (call: OutgoingCall, next: Next) => MiddlewareResult;

/**
 * What middleware returns: the result of the call, at once or later. A promise of nothing, as of an asynchronous function
 * that forgets to return, is not one.
 */
export type MiddlewareResult = Promise<object> | (object & { readonly then?: never });

/** Continues with the call, with other parameters if any are given. Calling it again sends the call again. */
export type Next = (params?: object) => Promise<object>;
