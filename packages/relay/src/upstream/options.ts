import type { CallToolResult, Client, ClientOptions, Tool } from "@toolwire/client";
import type { Context } from "@toolwire/server";
import type { Clear } from "../text/clear.ts";

/** How an upstream is reached for one principal, or for all of them, and what is done with what it says. */
export interface ViewOptions {
  /** Opens a connection: `(options) => connect(target, options)`. Options may be added, but none replaced. */
  connect(options: ClientOptions): Promise<Client>;
  /** Takes out of everything that the upstream sends what callers must not see, such as its credentials. Default: nothing. */
  readonly clear?: Clear | undefined;
  /** Logins of people at the upstream. Default: nobody logs in. */
  readonly login?: UpstreamLogin | undefined;
  /** Looks at the tools of each new listing before they are offered. If it throws, nothing new is offered. */
  inspect?(tools: readonly Tool[]): unknown;
  /**
   * Chooses the tools that are offered. `askable` are those that a legacy server lists for callers who can be asked something.
   * Default: all.
   */
  choose?(tools: readonly Tool[], listedFor: "all" | "askable"): readonly Tool[];
  /** Throws a `ToolError` if a tool must not be called at the moment. */
  admit?(tool: string): void;
}

/** Logins of people at an upstream. */
export interface UpstreamLogin {
  /**
   * Whether somebody has logged in or out since the last connection was opened. `wasNeeded` says that it failed for want of a login:
   * a connection that works does not mind a renewal.
   */
  hasChanged(wasNeeded: boolean): Promise<boolean>;
  /** For callers who log in themselves. Left out if an operator does that for all. */
  readonly byCaller?: LoginByCaller | undefined;
}

/** Logins that callers make themselves. */
export interface LoginByCaller {
  /**
   * Has the caller log in, with other scopes than usual if a call needs them, and waits for it. Throws a `ToolError` that says what
   * to do if it was not done.
   */
  logIn(ctx: Context, scopes: readonly string[] | undefined): Promise<void>;
  /** A tool by which callers log in before anything can be listed, and its result. */
  readonly tool?: { readonly listing: Tool; readonly result: CallToolResult } | undefined;
}

/** A server whose offers are served on. */
export interface UpstreamOptions<V extends ViewOptions = ViewOptions> {
  /**
   * Makes the view of a principal, the first time it is needed. It is called once with `undefined`, for all callers, unless
   * `perPrincipal` is set.
   */
  view(principal: string | undefined): V;
  /** Whether each principal has a view, with connections and credentials of its own. Callers without identity have none. Default false. */
  readonly perPrincipal?: boolean | undefined;
  /** How many principals are remembered. The one who did nothing for longest makes room. Default 1000. */
  readonly maxPrincipals?: number | undefined;
  /** Is put in front of names and URIs, so that upstreams do not get in each other's way: `files_read`, `files+file:///a`. */
  readonly prefix?: string | undefined;
  /** Milliseconds that a call waits without an answer or progress. Default 60 000. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds without a use after which a connection is closed. Default: 10 minutes for those of one principal, and `Infinity` for
   * one that all share.
   */
  readonly idleTimeout?: number | undefined;
  /**
   * How many connections a legacy server may have for calls whose callers can be asked something, for each view. Default 8: each may be
   * a process.
   */
  readonly maxConnections?: number | undefined;
  /**
   * Whether it is reached over HTTP, where a modern server sends the log messages of a call as part of its response. Over anything else,
   * they are not passed on while several principals share a connection. Default false.
   */
  readonly isHttp?: boolean | undefined;
}

/** Something that the operator should know of an upstream. */
export interface RelayEvent {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly upstream: string;
  readonly message: string;
  readonly error?: unknown;
  /** Whether it could not be reached, listed or called. */
  readonly isFailure?: boolean | undefined;
}
