import type { CallToolParams } from "@toolwire/protocol";
import { copyJson } from "../cache/copy-json.ts";
import type { CallNote } from "../calls/call.ts";
import type { Calls } from "../calls/calls.ts";
import type { RequestOptions } from "../calls/request-options.ts";
import type { Link } from "../connection/link.ts";
import type { ToolCatalog } from "../tools/catalog.ts";
import { follow, untilAborted } from "../waiting.ts";
import type { Middleware, OutgoingCall } from "./middleware.ts";

/** Sends requests through middleware. Loaded when a client connects that has any. */
export class Passage {
  readonly #middleware: readonly Middleware[];
  readonly #link: Link;
  readonly #catalog: ToolCatalog;
  readonly #calls: Calls;

  constructor(middleware: readonly Middleware[], link: Link, catalog: ToolCatalog, calls: Calls) {
    this.#middleware = middleware;
    this.#link = link;
    this.#catalog = catalog;
    this.#calls = calls;
  }

  /** As `Calls.send()`, with middleware around it. */
  send(method: string, params: object | undefined, options: RequestOptions, note?: CallNote): Promise<object> {
    const { revision, era, server: info } = this.#link.agreement!;
    const stop = new AbortController();
    const { signal } = stop;
    const unfollow = follow(options.signal, stop);
    const name = method === "tools/call" ? (params as CallToolParams).name : undefined;
    let sent: object | undefined;
    const call: OutgoingCall = {
      method,
      params,
      options: { ...options, signal },
      server: { info, revision, era },
      tool: name === undefined ? undefined : this.#catalog.get(name)?.tool,
      findTool: async () => {
        if (name === undefined) return undefined;
        if (this.#catalog.get(name) === undefined) await this.#calls.refreshTools();
        return copyJson(this.#catalog.get(name)?.tool);
      },
      sent: () => sent,
      abort: (reason) => stop.abort(reason),
    };
    const result = this.#enter(0, call, (last) => {
      sent = last ?? {};
      return this.#calls.send(method, { ...last }, call.options, note);
    });
    // Middleware that waits for something else gives up, too, when the call does.
    return untilAborted(result, signal).finally(unfollow);
  }

  /** Outermost first. `async` makes a promise of what is thrown at once, so that there is one way of failing. */
  async #enter(
    index: number,
    call: OutgoingCall,
    send: (params: object | undefined) => Promise<object>,
  ): Promise<object> {
    const layer = this.#middleware[index];
    if (layer === undefined) return send(call.params);
    return layer(call, (params) => this.#enter(index + 1, params === undefined ? call : { ...call, params }, send));
  }
}
