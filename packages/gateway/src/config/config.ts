import type { NetworkConfig, ServerConfig } from "./server-config.ts";
import type { CredentialText, ReferringText } from "./texts.ts";

export type { OAuthConfig, OAuthPreset } from "./auth-config.ts";
export type {
  AccessRuleConfig,
  GroupConfig,
  NetworkConfig,
  ServerConfig,
  ToolOverrideConfig,
} from "./server-config.ts";
export type { CredentialText, ReferringText } from "./texts.ts";
export type {
  CredentialConfig,
  FilterConfig,
  HttpToolConfig,
  LimitsConfig,
  OpenApiConfig,
  ParamConfig,
} from "./tool-config.ts";
export type {
  UpstreamAuthConfig,
  UpstreamClientConfig,
  UpstreamConfig,
  UpstreamOAuthConfig,
  UpstreamTokenConfig,
} from "./upstream-config.ts";

/** Logins of people to the page, by OpenID Connect. */
export interface AdminLoginConfig {
  /** The name on the button of the page. Default: the host of the issuer. */
  readonly name?: string;
  readonly issuer: string;
  /** The gateway as the issuer knows it, with the redirect URI `<admin.publicUrl>/login/callback`. */
  readonly client: { readonly id: string; readonly secret?: CredentialText };
  /** Scopes besides `openid`. Default: `email`, if `allow` has emails. */
  readonly scopes?: readonly string[];
  /** The people who get in: whoever fits one of these. */
  readonly allow: {
    /** Values of `sub`. */
    readonly subjects?: readonly string[];
    /** Addresses that the issuer has verified. */
    readonly emails?: readonly string[];
    /** By the name of a claim of the ID token: the values of which it must have one, as in `groups: [admins]`. */
    readonly claims?: { readonly [name: string]: readonly string[] };
  };
}

/** The engine in which several gateways meet, so that a balancer can send any request to any of them. */
export interface ClusterConfig {
  /** `redis` stands for Valkey, too. */
  readonly engine: "redis" | "postgres";
  readonly url: CredentialText;
  /** Begins the names of everything that the gateways keep in Redis. Default: `toolwire-gateway`. */
  readonly prefix?: string;
  /** The schema of Postgres in which they keep it. Default: `toolwire_gateway`. */
  readonly schema?: string;
}

/** The configuration of a gateway: what `gateway.yaml` holds. */
export interface GatewayConfig {
  readonly version: 1;
  readonly listen?: {
    readonly host?: string;
    readonly port?: number;
    /** The URL by which clients and browsers reach the gateway, such as `https://mcp.example.com`. Logins need it. */
    readonly publicUrl?: ReferringText;
    readonly allowedHosts?: readonly string[];
    readonly allowedOrigins?: readonly string[];
    /** How many processes serve, or `auto` for one for each core. Default: this one alone. */
    readonly workers?: number | "auto";
    /** How long the gateway serves on when it is told to end, so that load balancers notice. Default: 5s with `cluster`, else 0. */
    readonly drain?: number | string;
  };
  readonly cluster?: ClusterConfig;
  readonly admin?:
    | {
        readonly host?: string;
        readonly port?: number;
        readonly token?: CredentialText;
        /** The URL by which browsers reach the page. Default: that of the listener. */
        readonly publicUrl?: ReferringText;
        /** Lets people in who log in at an identity provider. The token stays the other way in. */
        readonly login?: AdminLoginConfig;
        readonly allowedHosts?: readonly string[];
        /**
         * Whether servers that are made on the page or through the admin API can start programs, read environment variables and
         * files, and reach addresses that the gateway does not. Default: false.
         */
        readonly machineAccess?: boolean;
      }
    | false;
  /** Publishes cards of servers, and a catalog of them, by which clients find them. Needs `listen.publicUrl`. Default: none. */
  readonly serverCards?: {
    /** The domain of the publisher in reverse, such as `com.example`. */
    readonly namespace: string;
  };
  readonly analytics?: {
    readonly store?: "pglite" | "postgres" | "memory";
    /** Folder of the embedded database and of the spool, relative to the configuration file. */
    readonly path?: string;
    readonly url?: CredentialText;
    readonly retention?: { readonly calls?: string; readonly hourly?: string };
    /** Records wait in the spool while the database does not take them. Beyond this size, the oldest are given up. Default: 1 GiB. */
    readonly maxSpoolBytes?: number;
    readonly capture?: boolean;
  };
  readonly network?: NetworkConfig;
  /** Seals what travels through clients while they are asked something. The same on all machines. At least 32 bytes. */
  readonly stateKey?: CredentialText;
  readonly servers?: { readonly [slug: string]: ServerConfig };
}
