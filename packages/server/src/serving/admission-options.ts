import type { Principal } from "./contract.ts";

/** What an authentication hook gets to see: everything about a request but its body. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as in `/mcp?key=value`. */
  readonly target: string;
  /** Looks up a request header, in whatever case. */
  readonly header: (name: string) => string | undefined;
  /**
   * The platform's own request, with what a framework has put on it: an `IncomingMessage`, or a `Request` on the web.
   */
  readonly raw: unknown;
}

/** Who may talk to a server, on bindings that begin with an HTTP request. */
export interface AdmissionOptions {
  /**
   * The `Host` headers to answer to: names for any port, `name:port` for one, `"*"` for all. Others get a 403. However
   * you write a name, it is understood as clients write it. Default: `localhost`, `127.0.0.1` and `[::1]`, so set it to
   * the names under which your server is reached from elsewhere.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The web pages, by origin, that may call from a browser, such as `https://app.example.com`; `"*"` for all. Others
   * get a 403. They are understood as browsers write them: `https://Example.com:443/` is `https://example.com`.
   * Default: pages of the hosts in `allowedHosts`; if that is `"*"`, of this machine.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Says who is calling, before anything of the body is read or a connection accepted. Throw an `AuthError` to refuse:
   * 401 with its challenge, or 403. `undefined` is nobody, and refused as well; whoever lets strangers in says who they
   * are, such as `{ id: "anonymous" }`. Sessions belong to the principal that opened them; another one's look as if
   * they did not exist.
   */
  readonly authenticate?:
    | ((request: RequestHead) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
}
