import type { Era, Implementation, Revision, Tool } from "@toolwire/protocol";
import type { RequestOptions } from "../calls/request-options.ts";

/** The server that a call goes to. */
export interface CalledServer {
  /** How it presents itself. Self-reported: show it, log it, but decide nothing by it. */
  readonly info: Implementation | undefined;
  readonly revision: Revision;
  readonly era: Era;
}

/** A call on its way out. */
export interface OutgoingCall {
  readonly method: string;
  readonly params: object | undefined;
  readonly options: RequestOptions;
  readonly server: CalledServer;
  /** The tool that is called, if it has been listed. What it says about itself is the word of its server. */
  readonly tool: Tool | undefined;
  /** The tool that is called; if it has not been listed yet, the server is asked. */
  findTool(): Promise<Tool | undefined>;
  /** Gives up: the call is cancelled and rejects with the reason. */
  abort(reason: unknown): void;
}

/**
 * Code around every call: it sees what is about to be sent and what came back. Call `next` to go on, return what it returns
 * or something else, throw to refuse. The first in the list is the outermost.
 *
 * Results are not to be changed in place: they may be shared. Return a copy with the changes.
 */
export type Middleware = (call: OutgoingCall, next: Next) => Promise<object> | object;

/** Goes on with the call; with other parameters, if any are given. Calling it again sends the call again. */
export type Next = (params?: object) => Promise<object>;

/** Runs a call through middleware, outermost first, and then sends it. */
export function runThrough(
  middleware: readonly Middleware[],
  call: OutgoingCall,
  send: (params: object | undefined) => Promise<object>,
): Promise<object> {
  // `async` makes a promise of what is thrown at once, so that there is one way of failing.
  const enter = async (index: number, current: OutgoingCall): Promise<object> => {
    const layer = middleware[index];
    if (layer === undefined) return send(current.params);
    return layer(current, (params) => enter(index + 1, params === undefined ? current : { ...current, params }));
  };
  return enter(0, call);
}
