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
  /**
   * The tool that is called, if it has been listed. What it says about itself is the word of its server. It is the one
   * that the client goes by, and not to be changed.
   */
  readonly tool: Tool | undefined;
  /** A copy of the tool that is called; if it has not been listed yet, the server is asked. */
  findTool(): Promise<Tool | undefined>;
  /**
   * A copy of the parameters that were sent last, as the middleware within has left them; `undefined` if nothing was
   * sent.
   */
  sent(): object | undefined;
  /** Gives up: the call is cancelled and rejects with the reason. */
  abort(reason: unknown): void;
}

/**
 * Code around every call: it sees what is about to be sent and what came back. Call `next` to go on, return what it
 * returns or something else, throw to refuse. The first in the list is the outermost.
 *
 * Results are not to be changed in place: they may be shared. Return a copy with the changes.
 */
export type Middleware = (call: OutgoingCall, next: Next) => Promise<object> | object;

/** Goes on with the call; with other parameters, if any are given. Calling it again sends the call again. */
export type Next = (params?: object) => Promise<object>;
