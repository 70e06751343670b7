import type { OAuthConfig } from "./auth-config.ts";
import type { CredentialConfig, HttpToolConfig, LimitsConfig, OpenApiConfig } from "./tool-config.ts";
import type { UpstreamConfig } from "./upstream-config.ts";

/** Changes to a tool, whatever it comes from. */
export interface ToolOverrideConfig {
  /** A draft is neither listed nor called by clients; an admin can try it. */
  readonly status?: "active" | "draft";
  readonly title?: string;
  readonly description?: string;
  /** The scopes that callers need, besides those of the server. Replaces those of the tool. */
  readonly scopes?: readonly string[];
  readonly limits?: LimitsConfig;
}

/** Which callers may use which tools. Lists and calls follow the same rules. */
export interface AccessRuleConfig {
  /** Ids of principals; `*` matches anything. Default: everybody. */
  readonly principals?: readonly string[];
  /** The rule is for callers whose token has all of these scopes. Default: whatever scopes they have. */
  readonly scopes?: readonly string[];
  readonly tools: readonly string[];
  readonly allow: boolean;
}

/** A group of what a server offers. In names, `*` matches anything. */
export interface GroupConfig {
  readonly title?: string;
  /** Tells the model what the group is for, and when to use it. */
  readonly description: string;
  /** Tells the model how to work with the group. */
  readonly instructions?: string;
  /** Everything of these upstreams. */
  readonly upstreams?: readonly string[];
  readonly tools?: readonly string[];
  readonly prompts?: readonly string[];
  /** By their URIs. */
  readonly resources?: readonly string[];
  /** The names of groups inside of this one. */
  readonly groups?: readonly string[];
}

/** One server of the gateway, at `/mcp/{slug}`. */
export interface ServerConfig {
  readonly status?: "active" | "paused" | "draft";
  readonly title?: string;
  readonly description?: string;
  readonly instructions?: string;
  /**
   * Whether the server has a public card, if the gateway publishes cards, and what it says there in place of `description`. Default: if
   * everybody may call it.
   */
  readonly card?: boolean | { readonly description?: string };
  /** Default: API keys, unless the gateway listens on loopback only. */
  readonly auth?: { readonly apiKeys: true } | { readonly oauth: OAuthConfig; readonly apiKeys?: true } | "none";
  readonly limits?: LimitsConfig;
  readonly access?: readonly AccessRuleConfig[];
  readonly tools?: { readonly [name: string]: HttpToolConfig };
  readonly openapi?: OpenApiConfig;
  readonly upstreams?: { readonly [name: string]: UpstreamConfig };
  /** By the name of the tool as clients see it, or the id of its operation: changes to tools of any source. */
  readonly overrides?: { readonly [tool: string]: ToolOverrideConfig };
  readonly credentials?: { readonly [name: string]: CredentialConfig };
  /** Groups by name: clients that know groups find what is in them there, and not in lists. All others list everything. */
  readonly groups?: { readonly [name: string]: GroupConfig };
  /** Replaces the gateway's `network` for requests of this server. */
  readonly network?: NetworkConfig;
  /** Inbound headers that are copied to requests to APIs. Never `Authorization`. */
  readonly forwardHeaders?: readonly string[];
  /** `search` lists three tools that find, describe and call all others. */
  readonly mode?: "tools" | "search";
  /** `portable` rewrites inputs for callers so that the APIs of all models take them. Default `original`. */
  readonly schemas?: "original" | "portable";
  readonly sessions?: boolean;
  readonly capture?: boolean;
  readonly unknownTool?: "error" | "result";
}

/** Addresses that requests may go to besides public ones. */
export interface NetworkConfig {
  /** Networks and host names, such as `10.1.0.0/16` and `localhost`. */
  readonly allow?: readonly string[];
}
