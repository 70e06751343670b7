/// <reference lib="esnext.disposable" preserve="true" />
import type { Serving } from "../serving/contract.ts";
import { HttpEndpoint } from "./endpoint.ts";
import type { HttpOptions } from "./options.ts";
import { keepAliveSeparately } from "./separate-keep-alive.ts";
import { WebFront } from "./web-front.ts";

/** A server as a function from `Request` to `Response`, the form that Bun, Deno, workers and many frameworks take. */
export interface HttpHandler {
  /** Answers one request. Needs no `this`, so it can be passed on as it is. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Takes nothing new, ends subscriptions, and lets what is in the works finish in time: clients can still answer what they
   * were asked, and come back for answers that are still to come. Then ends sessions, and what was kept of them is gone: an
   * answer that was ready before its client came back for it is lost.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves over HTTP wherever there is `Request` and `Response`; nothing here needs Node. Both eras are served on one
 * endpoint.
 *
 * @example
 * ```ts
 * import { createHttpHandler } from "@toolwire/server/http";
 *
 * const handler = createHttpHandler(server, { allowedHosts: ["mcp.example.com"] });
 * export default { fetch: handler.fetch };
 * ```
 */
export function createHttpHandler(server: Serving, options: HttpOptions = {}): HttpHandler {
  const endpoint = new HttpEndpoint(server, options, keepAliveSeparately);
  return {
    fetch(request) {
      const front = new WebFront(request);
      endpoint.accept(front);
      return front.response;
    },
    close: () => endpoint.close(),
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}
