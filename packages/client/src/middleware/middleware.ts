import {
  type CallToolParams,
  type Era,
  type Implementation,
  type Revision,
  type Tool,
  UsageError,
} from "@toolwire/protocol";
import type { RequestOptions } from "../call-options.ts";
import { copyJson } from "../messages/json.ts";
import { ceilingOf } from "../calls/call.ts";
import type { Calls, CallSender } from "../calls/calls.ts";
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
export type ClientMiddleware = (call: OutgoingCall, next: ClientNext) => MiddlewareResult;

/**
 * The result of middleware: that of the call, or a promise of it. A promise of `undefined`, as of an asynchronous function
 * without `return`, is refused by the compiler.
 */
export type MiddlewareResult = Promise<object> | (object & { readonly then?: never });

/** Continues with the call, with other parameters if any are given. Calling it again sends the call again. */
export type ClientNext = (params?: object) => Promise<object>;

/** Sends requests through middleware. */
export class MiddlewareChain {
  readonly #middleware: readonly ClientMiddleware[];
  readonly #link: Link;
  readonly #catalog: ToolCatalog;
  readonly #calls: Calls;
  /** The generation of the catalog that was listed completely: tools that it lacks do not exist. */
  #listed: number | undefined;

  constructor(middleware: readonly ClientMiddleware[], link: Link, catalog: ToolCatalog, calls: Calls) {
    this.#middleware = middleware;
    this.#link = link;
    this.#catalog = catalog;
    this.#calls = calls;
  }

  /** Sends like `calls.send()`, with middleware around it. */
  send(calls: CallSender, method: string, params: object | undefined, options: RequestOptions): Promise<object> {
    const { revision, era, server: info } = this.#link.agreement!;
    const stop = new AbortController();
    const { signal } = stop;
    const own = { ...options, signal };
    const unfollow = follow(options.signal, stop);
    // The time spent listing tools for the call. The time of other middleware, such as a user who decides, is not counted.
    let spent = 0;
    const listTools = async (): Promise<void> => {
      const start = performance.now();
      try {
        await this.#listTools(own, spent);
      } finally {
        spent += Math.ceil(performance.now() - start);
      }
    };
    // As text, because the caller may change its arguments after they were sent.
    let sent: string | undefined;
    const call: OutgoingCall = {
      method,
      params,
      options: own,
      server: { info, revision, era: era.name },
      ...this.#toolOf(method, params, listTools),
      sent: () => (sent && JSON.parse(sent)) as object | undefined,
      abort: (reason) => stop.abort(reason),
    };
    const result = this.#enter(0, call, listTools, (last) => {
      sent = textOf(last ?? {});
      const before = spent;
      // A call that is sent again has all of its time again.
      spent = 0;
      return calls.send(method, { ...last }, own, before);
    });
    // The call ends when it is aborted, even if middleware waits for something else.
    return untilAborted(result, signal).finally(unfollow);
  }

  /** Calls middleware, the outermost first. `async`, so that errors thrown synchronously become rejections. */
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

  /** Finds the tool that these parameters name. Middleware may have changed the name. */
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

  /** Lists the tools within the time that the call has left. */
  #listTools(options: RequestOptions, spent: number): Promise<void> {
    const { times } = this.#calls;
    const limit = Math.min(options.timeout ?? times.timeout, ceilingOf(options, times));
    const message = "No answer to tools/call in time: listing the server's tools took all of it.";
    return inTime(Math.max(limit - spent, 1), message, [options.signal], () => this.#calls.tools.refresh());
  }
}

/** The error for middleware that returns no result. */
function noResult({ name }: ClientMiddleware, place: string, method: string, returned: unknown): UsageError {
  const which = name === "" ? place : `\`${name}\` (${place})`;
  const what = returned === undefined || returned === null ? "nothing" : `a ${typeof returned}`;
  const message =
    `The middleware ${which} returned ${what} for ${method}. ` +
    "Middleware returns the result: `return next()`, or another object.";
  return new UsageError("INVALID_ARGUMENT", message);
}

/** The parameters as JSON; `undefined` if JSON cannot express them, so that they cannot be sent either. */
function textOf(params: object): string | undefined {
  try {
    return JSON.stringify(params);
  } catch {
    return undefined;
  }
}
