import type { ClientObserver, HttpConnector, PinStore } from "@toolwire/client";
import type { AuthStore } from "@toolwire/client/auth";
import type { RelayEvent } from "@toolwire/relay";
import type { Implementation } from "@toolwire/server";
import type { CredentialText, UpstreamConfig } from "../config/config.ts";
import type { LoginTarget } from "../logins/login-target.ts";

/** The state of an upstream, for health checks and the page. */
export interface UpstreamStatus {
  readonly name: string;
  readonly kind: UpstreamKind;
  /** `idle` if nobody has needed it yet, or if it was stopped because nobody did for a while. */
  readonly state: "idle" | "connecting" | "connected" | "failed";
  /** The name and version that the server claims. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  readonly revision?: string | undefined;
  /** How many of its tools are offered. */
  readonly tools: number;
  /** Open connections: one, one for each user, and those of calls that a legacy server may ask something. */
  readonly connections: number;
  /** Why it failed, or could not be listed. */
  readonly error?: string | undefined;
  /** Tools that are new, or whose description or schema has changed, since somebody last accepted them. */
  readonly changedTools: readonly string[];
  /** Problems that do not keep it from running: names that others have, tools that cannot be offered. */
  readonly problems: readonly string[];
  /** The one who logs in at it, if anybody does: each caller, or an admin for all of them. */
  readonly logins?: "perUser" | "shared" | undefined;
}

/** How an upstream is reached. */
export type UpstreamKind = "stdio" | "http" | "websocket";

/** Another MCP server behind the gateway. */
export interface Upstream {
  readonly name: string;
  readonly config: UpstreamConfig;
  status(): UpstreamStatus;
  /**
   * Connects if necessary, and resolves when the tools, resources and prompts are in the server: those of everybody, or with
   * `perUser` those of the principal. Never rejects: if it fails, `status()` says why.
   */
  ready(principal?: string): Promise<void>;
  /** Closes all connections and opens them again when they are needed. */
  restart(): Promise<void>;
  /** The way to log in at it, if somebody has to. */
  readonly loginTarget: LoginTarget | undefined;
  /** Looks again who is logged in, because somebody has logged in or out. Never rejects. */
  loginsChanged(): Promise<void>;
  /** Accepts the tools as they are now, so that they are no longer flagged as changed. */
  accept(): void;
  /** Takes everything out of the server, and ends all connections and processes. */
  close(): Promise<void>;
}

/** The logins of people at one upstream. */
export interface UpstreamLogins {
  /** Where the tokens of a principal are kept, or those that all share. */
  storeOf(principal: string | undefined): AuthStore;
  /** Whether a principal is logged in: a text that changes with each login and renewal. */
  stateOf(principal: string | undefined): Promise<string | undefined>;
  /** Makes a link at which a principal logs in, with other scopes than usual if a call needs them. */
  createLink(principal: string | undefined, scopes: readonly string[] | undefined): Promise<string>;
}

/** The parts of the gateway that upstreams use. */
export interface UpstreamOptions {
  /**
   * Fills in the references of a credential: secrets of the principal, or shared ones if there is none. Throws a
   * `ToolError` that the caller may read, or a `UsageError` for the operator, if a value is not set.
   */
  resolve(text: CredentialText, principal: string | undefined): string | Promise<string>;
  /** What an upstream is sent for a principal, or for all, that nobody may see. Default: nothing. */
  readonly hidden?: ((principal: string | undefined) => readonly string[]) | undefined;
  /** Hears of every token and secret of a login. */
  readonly note?: ((secret: string) => void) | undefined;
  /** Opens connections to HTTP and WebSocket servers, to allowed addresses only. Default: to any address. */
  readonly connect?: HttpConnector | undefined;
  /** Keeps logins of people. Needed by upstreams with `auth.oauth`. */
  readonly logins?: UpstreamLogins | undefined;
  /** Gets what the operator should know. */
  readonly report?: ((event: RelayEvent) => void) | undefined;
  /** Whether inputs are rewritten for callers, so that nobody has to be told what models' APIs refuse in them. */
  readonly isPortable?: boolean | undefined;
  /** Is told each time that the upstream has been listed. */
  readonly onListed?: (() => void) | undefined;
  /** Keeps which tools were accepted. Default: in memory, so that nothing is flagged after a restart. */
  readonly acceptedTools?: PinStore | undefined;
  /** The folder that `cwd` is relative to: that of the configuration file. */
  readonly folder?: string | undefined;
  /** How many principals of an upstream with `perUser` are remembered. The one who did nothing for longest makes room. Default 1000. */
  readonly maxUsers?: number | undefined;
  /** How the gateway presents itself to upstreams. */
  readonly info?: Implementation | undefined;
  /** Sees the requests to it, if anybody does. */
  readonly observe?: ClientObserver | undefined;
}
