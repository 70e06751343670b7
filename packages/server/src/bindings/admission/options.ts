import type { Principal } from "../../binding.ts";
import type { ServerAuth } from "./auth.ts";

/** How long `authenticate` and `auth` may take. Over WebSocket, that includes the time until the connection is open. */
export const ADMISSION_TIMEOUT_MS = 10_000;

/** The argument of `authenticate`: everything about a request except its body. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as in `/mcp?key=value`. */
  readonly target: string;
  /** Looks up a request header. The name's case does not matter. */
  readonly header: (name: string) => string | undefined;
  /**
   * The platform's own request, with whatever a framework has stored on it: an `IncomingMessage` in Node, a `Request`
   * in the web handler.
   */
  readonly raw: unknown;
  /** The IP address of the peer, if the platform exposes it. Behind a proxy, it is that of the proxy. */
  readonly address?: string | undefined;
}

/** The options of bindings that begin with an HTTP request: who may use the server. */
export interface AdmissionOptions {
  /**
   * The `Host` headers to answer to: a name for any port, `name:port` for one, `"*"` for all. Others get a 403. Names
   * are normalized to what clients send. Default: `localhost`, `127.0.0.1` and `[::1]`. Set it to the names by which
   * clients elsewhere reach your server.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The origins of web pages that may call from a browser, such as `https://app.example.com`; `"*"` for all. Others get
   * a 403. Origins are normalized to what browsers send: `https://Example.com:443/` is `https://example.com`. Default:
   * pages of the hosts in `allowedHosts`; if that is `"*"`, of this machine.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Lets callers in by their tokens, as an OAuth resource server does: `protect({ … })` of `@toolwire/server/auth` makes it. Excludes
   * `authenticate`. `ctx.header` does not show the token to handlers.
   */
  readonly auth?: ServerAuth | undefined;
  /**
   * Returns the caller, before the body is read or a connection is accepted. Throw an `AuthError` to refuse: 401 with
   * its challenge, or 403. `undefined` and an empty `id` are refused with 401, too; to let anonymous callers in, return a principal for
   * them, such as `{ id: "anonymous" }`. If there is no answer after 10 seconds, the caller gets a 503. A session belongs
   * to the principal that opened it. For other principals it does not exist.
   */
  readonly authenticate?:
    | ((request: RequestHead) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
}
