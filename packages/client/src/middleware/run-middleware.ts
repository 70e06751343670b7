import {
  type CallToolParams,
  type Era,
  type Implementation,
  type Revision,
  type Tool,
  UsageError,
} from "@toolwire/protocol";
import type { RequestOptions } from "../calls/options.ts";
import { copyJson } from "../cache/result-cache.ts";
import { ceilingOf } from "../calls/call.ts";
import type { Calls } from "../calls/calls.ts";
import type { Link } from "../connection/link.ts";
import type { ToolCatalog } from "../catalog/catalog.ts";
import { follow, inTime, untilAborted } from "../waiting.ts";

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

/** What sends requests in the end. */
export interface Sends {
  send(method: string, params: object | undefined, options: RequestOptions, spent?: number): Promise<object>;
}

/** Sends requests through middleware. Only clients that have some load this. */
export class Passage {
  readonly #middleware: readonly Middleware[];
  readonly #link: Link;
  readonly #catalog: ToolCatalog;
  readonly #calls: Calls;
  /** Which generation of tools was listed as a whole: what is not known of it is not listed. */
  #listed: number | undefined;

  constructor(middleware: readonly Middleware[], link: Link, catalog: ToolCatalog, calls: Calls) {
    this.#middleware = middleware;
    this.#link = link;
    this.#catalog = catalog;
    this.#calls = calls;
  }

  /** As `calls.send()`, with middleware around it. */
  send(calls: Sends, method: string, params: object | undefined, options: RequestOptions): Promise<object> {
    const { revision, era, server: info } = this.#link.agreement!;
    const stop = new AbortController();
    const { signal } = stop;
    const own = { ...options, signal };
    const unfollow = follow(options.signal, stop);
    // How long tools were listed on its behalf. What other middleware takes, such as a user who thinks, is not counted.
    let spent = 0;
    const listTools = async (): Promise<void> => {
      const start = performance.now();
      try {
        await this.#listTools(own, spent);
      } finally {
        spent += Math.ceil(performance.now() - start);
      }
    };
    // As text, because whoever has made the call may change its arguments once it is on its way.
    let sent: string | undefined;
    const call: OutgoingCall = {
      method,
      params,
      options: own,
      server: { info, revision, era },
      ...this.#toolOf(method, params, listTools),
      sent: () => (sent && JSON.parse(sent)) as object | undefined,
      abort: (reason) => stop.abort(reason),
    };
    const result = this.#enter(0, call, listTools, (last) => {
      sent = textOf(last ?? {});
      const before = spent;
      // Sent again, it has all of its time again.
      spent = 0;
      return calls.send(method, { ...last }, own, before);
    });
    // Middleware that waits for something else gives up, too, when the call does.
    return untilAborted(result, signal).finally(unfollow);
  }

  /** Outermost first. `async` makes a promise of what is thrown at once, so that there is one way of failing. */
  async #enter(
    index: number,
    call: OutgoingCall,
    listTools: () => Promise<void>,
    send: (params: object | undefined) => Promise<object>,
  ): Promise<object> {
    const layer = this.#middleware[index];
    if (layer === undefined) return send(call.params);
    const returned: unknown = await layer(call, (params) => {
      const changed =
        params === undefined ? call : { ...call, params, ...this.#toolOf(call.method, params, listTools) };
      return this.#enter(index + 1, changed, listTools, send);
    });
    if (typeof returned === "object" && returned !== null) return returned;
    throw noResult(layer, `number ${index + 1} of ${this.#middleware.length}`, call.method, returned);
  }

  /** The tool that these parameters name, which may be another one than the call began with. */
  #toolOf(
    method: string,
    params: object | undefined,
    listTools: () => Promise<void>,
  ): Pick<OutgoingCall, "tool" | "findTool"> {
    const name = method === "tools/call" ? (params as CallToolParams).name : undefined;
    return {
      tool: this.#catalog.get(name)?.tool,
      findTool: async () => {
        const { generation } = this.#catalog;
        if (name !== undefined && this.#catalog.get(name) === undefined && this.#listed !== generation) {
          await listTools();
          this.#listed = generation;
        }
        return copyJson(this.#catalog.get(name)?.tool);
      },
    };
  }

  /** Within what is left of the time of the call that needs them. */
  #listTools(options: RequestOptions, spent: number): Promise<void> {
    const { times } = this.#calls;
    const limit = Math.min(options.timeout ?? times.timeout, ceilingOf(options, times));
    const message = "No answer to tools/call in time: listing the server's tools took all of it.";
    return inTime(Math.max(limit - spent, 1), message, [options.signal], () => this.#calls.refreshTools());
  }
}

/** The complaint about middleware that returns no result. */
function noResult({ name }: Middleware, place: string, method: string, returned: unknown): UsageError {
  const which = name === "" ? place : `\`${name}\` (${place})`;
  const what = returned === undefined || returned === null ? "nothing" : `a ${typeof returned}`;
  const message =
    `The middleware ${which} returned ${what} for ${method}. ` +
    "Middleware returns the result: `return next()`, or another object.";
  return new UsageError("INVALID_ARGUMENT", message);
}

/** What JSON has no words for cannot be sent. */
function textOf(params: object): string | undefined {
  try {
    return JSON.stringify(params);
  } catch {
    return undefined;
  }
}
