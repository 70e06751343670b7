import type { ParameterStyle } from "@toolwire/openapi";
import type { JsonSchemaObject, ToolAnnotations } from "@toolwire/server";
import type {
  Auth0Options,
  ClerkOptions,
  CognitoOptions,
  EntraOptions,
  GoogleOptions,
  JwtAlgorithm,
  KeycloakOptions,
  OktaOptions,
  SupabaseOptions,
  WorkosOptions,
} from "@toolwire/server/auth";

/** The text of a credential: a literal, or references such as `${env:NAME}`, `${file:path}` and `${secret:name}`. */
export type CredentialText = string;

/** A text that may have the references `${env:NAME}` and `${file:path}`, such as a URL that differs by environment. */
export type ReferringText = string;

/** A credential for an API. */
export type CredentialConfig = { readonly perUser?: boolean; readonly connectUrl?: string } & (
  | { readonly bearer: CredentialText }
  | {
      readonly apiKey: CredentialText;
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly prefix?: string;
    }
  | { readonly basic: { readonly username: CredentialText; readonly password: CredentialText } }
  | { readonly headers: { readonly [name: string]: CredentialText } }
  | {
      readonly clientCredentials: {
        readonly tokenUrl: string;
        readonly clientId: CredentialText;
        readonly clientSecret: CredentialText;
        readonly scope?: string;
        readonly audience?: string;
        readonly resource?: string;
        readonly authentication?: "basic" | "body";
      };
    }
  | { readonly none: true }
);

/** Where an argument goes. */
export type ParamConfig =
  | "path"
  | "query"
  | "header"
  | "cookie"
  | "body"
  | {
      readonly in: "path" | "query" | "header" | "cookie";
      readonly name?: string;
      readonly style?: ParameterStyle;
      readonly explode?: boolean;
      readonly allowReserved?: boolean;
    }
  | { readonly in: "body"; readonly pointer?: string };

/** A hand-written HTTP tool. */
export interface HttpToolConfig {
  readonly title?: string;
  readonly description: string;
  readonly status?: "active" | "draft";
  readonly request: {
    readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
    /** Absolute, with `{name}` for path parameters. */
    readonly url: ReferringText;
    /** Where arguments go. Default: names in the URL to the path; else the query for GET, HEAD and DELETE; else the body. */
    readonly params?: { readonly [argument: string]: ParamConfig };
    readonly body?: { readonly type?: string; readonly argument?: string };
    /** Headers that every request has. Credentials belong into `credentials`. */
    readonly headers?: { readonly [name: string]: ReferringText };
  };
  readonly input?: JsonSchemaObject;
  readonly response?: {
    readonly select?: string;
    readonly as?: "text" | "auto";
    readonly fields?: boolean;
    readonly maxBytes?: number;
    readonly maxText?: number;
  };
  readonly annotations?: ToolAnnotations;
  /** The name of a credential of the server. Default: the only one, if there is one; `none` for none. */
  readonly credential?: string;
  /** The scopes that callers need, besides those of the server. */
  readonly scopes?: readonly string[];
  readonly limits?: LimitsConfig;
}

/** Limits of a server or a tool. */
export interface LimitsConfig {
  /** Calls a minute, of one caller. Default 600; none for callers on this machine without a key. */
  readonly perMinute?: number;
  /** Calls in flight at once, of all callers together. */
  readonly concurrent?: number;
  /** Milliseconds, or text such as `30s`. */
  readonly timeout?: number | string;
  readonly retries?: number;
}

/** Tools of an OpenAPI document. */
export interface OpenApiConfig {
  /** A path relative to the configuration file, a URL, or the document itself, as an import through the admin API keeps it. */
  readonly document: string | { readonly [name: string]: unknown };
  readonly include?: FilterConfig;
  readonly exclude?: FilterConfig;
  readonly baseUrl?: ReferringText;
  readonly variables?: { readonly [name: string]: string };
  readonly hosts?: readonly string[];
  readonly arguments?: "flat" | "grouped";
  /** Credential to fetch the document with. */
  readonly credential?: string;
}

/** Operations by id, tag, method or path (`*` matches anything). */
export interface FilterConfig {
  readonly operations?: readonly string[];
  readonly tags?: readonly string[];
  readonly methods?: readonly string[];
  readonly paths?: readonly string[];
}

/** The options of all ways to get tokens of an authorization server. */
export interface UpstreamTokenConfig {
  /** The scopes to ask for. Default: those that the upstream names. */
  readonly scopes?: readonly string[];
  /** Whether tokens are bound to a key (RFC 9449). Default `auto`: if the upstream asks for it. */
  readonly dpop?: "auto" | "required" | false;
  /** How the `resource` in the metadata of the upstream must agree with its URL. Default `prefix`. */
  readonly resource?: "prefix" | "exact" | false;
}

/** The gateway as an authorization server knows it. The secret and the key are sent to no other issuer. */
export interface UpstreamClientConfig {
  readonly id: string;
  readonly issuer: string;
  readonly secret?: CredentialText;
  /** A private key, as PEM with PKCS#8: it is never sent. */
  readonly key?: CredentialText;
  /** Default `ES256`. */
  readonly algorithm?: "ES256" | "RS256" | "PS256" | "EdDSA";
  readonly keyId?: string;
}

/** A login of a person at an upstream. */
export interface UpstreamOAuthConfig extends UpstreamTokenConfig {
  /** One login for all callers, which an admin makes. Default: each caller logs in. */
  readonly shared?: boolean;
  /** Default: the gateway registers itself. */
  readonly client?: Partial<UpstreamClientConfig> & {
    /** The name that people read when they log in. */
    readonly name?: string;
    /** The URL of a document that describes the gateway as a client. */
    readonly metadataUrl?: string;
  };
  /** Further parameters of the authorization request, such as `audience`. */
  readonly parameters?: { readonly [name: string]: string };
  /** `assume` logs in at issuers that do not say that they support PKCE. Needs a `client` with an `issuer`. */
  readonly pkce?: "required" | "assume";
}

/** How the gateway authenticates to another MCP server over HTTP or WebSocket: exactly one kind. */
export type UpstreamAuthConfig =
  | { readonly bearer: CredentialText }
  | { readonly clientCredentials: UpstreamClientConfig & UpstreamTokenConfig }
  | {
      readonly workload: UpstreamTokenConfig & {
        readonly issuer: string;
        /** The token that the platform gives to this machine, such as `${file:/var/run/secrets/token}`. Read each time. */
        readonly assertion: CredentialText;
        readonly id?: string;
      };
    }
  | {
      readonly enterprise: UpstreamTokenConfig & {
        /** The identity provider, and the gateway as it is known there. */
        readonly idp: UpstreamClientConfig & { readonly tokenEndpoint?: string };
        /** The ID token of the user, or of each caller with `perUser`. */
        readonly idToken?: CredentialText;
        /** The refresh token of that login, in place of the ID token. */
        readonly refreshToken?: CredentialText;
        /** The gateway as the authorization server of the upstream knows it. */
        readonly client: UpstreamClientConfig;
      };
    }
  | { readonly oauth: UpstreamOAuthConfig };

/** Another MCP server. */
export interface UpstreamConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: CredentialText };
  readonly cwd?: string;
  /** `http:`, `https:`, `ws:` or `wss:`. */
  readonly url?: string;
  readonly headers?: { readonly [name: string]: CredentialText };
  /** How the gateway authenticates to `url`. */
  readonly auth?: UpstreamAuthConfig;
  /** One connection for each caller instead of one for all. */
  readonly perUser?: boolean;
  /** Put in front of names, with an underscore. */
  readonly prefix?: string;
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  /** Refuse tools that have changed until somebody accepts them. */
  readonly pin?: boolean;
  /** Without a call for this long, the connection is closed and the process stopped until the next. Default: never; 10m with `perUser`. */
  readonly idleTimeout?: number | string;
  readonly timeout?: number | string;
}

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

/** A well-known identity provider: exactly one, with the options of its function in `@toolwire/server/auth`. */
export type OAuthPreset =
  | { readonly auth0: Auth0Options }
  | { readonly clerk: ClerkOptions }
  | { readonly cognito: CognitoOptions }
  | { readonly entra: EntraOptions }
  | { readonly google: Pick<GoogleOptions, "clientIds"> }
  | { readonly keycloak: KeycloakOptions }
  | { readonly okta: OktaOptions }
  | { readonly supabase: SupabaseOptions }
  | { readonly workos: WorkosOptions };

/** Access tokens of an authorization server, for one server of the gateway. Its resource is `<listen.publicUrl>/mcp/<slug>`. */
export interface OAuthConfig {
  /** The authorization server, exactly as tokens name it in `iss`. Needed without a `preset`. */
  readonly issuer?: string;
  /** A well-known identity provider in place of `issuer`, with its own options: `{ auth0: { domain: … } }`. */
  readonly preset?: OAuthPreset;
  /** The audience (`aud`) of tokens; one of several is enough. Default: the resource of the server. */
  readonly audience?: string | readonly string[];
  /** `issuer` for issuers whose tokens have no `aud`. Then every token of the issuer is accepted: use `requiredClaims`. */
  readonly boundBy?: "audience" | "issuer";
  /** Where the keys are that sign tokens. Default: the metadata of the issuer tell it. */
  readonly jwksUri?: string;
  /** The algorithms to accept. Default: all with public keys. */
  readonly algorithms?: readonly JwtAlgorithm[];
  /** Asks the issuer about tokens that only it can read (RFC 7662), in place of verifying their signature. */
  readonly introspection?: {
    readonly endpoint: string;
    readonly client: { readonly id: string; readonly secret: CredentialText; readonly method?: "basic" | "post" };
  };
  /** The scopes that every call needs. */
  readonly scopes?: readonly string[];
  /** Scopes that stand for others, as in `mcp:admin: [mcp:read, mcp:write]`. */
  readonly implies?: { readonly [scope: string]: readonly string[] };
  /** Whether tokens may or must be bound to a key of the client (RFC 9449). Default: false. */
  readonly dpop?: "accepted" | "required" | false;
  /** Claims that must have one of these values. */
  readonly requiredClaims?: { readonly [name: string]: string | readonly string[] };
  /** The names of claims, for issuers with names of their own. */
  readonly claims?: { readonly scopes?: string; readonly subject?: string; readonly clientId?: string };
}

/** One server of the gateway, at `/mcp/{slug}`. */
export interface ServerConfig {
  readonly status?: "active" | "paused" | "draft";
  readonly title?: string;
  readonly description?: string;
  readonly instructions?: string;
  /** Default: API keys, unless the gateway listens on loopback only. */
  readonly auth?: { readonly apiKeys: true } | { readonly oauth: OAuthConfig; readonly apiKeys?: true } | "none";
  readonly limits?: LimitsConfig;
  readonly access?: readonly AccessRuleConfig[];
  readonly tools?: { readonly [name: string]: HttpToolConfig };
  readonly openapi?: OpenApiConfig;
  readonly upstreams?: { readonly [name: string]: UpstreamConfig };
  /** By the name of the tool as clients see it: changes to tools of any source. */
  readonly overrides?: { readonly [tool: string]: ToolOverrideConfig };
  readonly credentials?: { readonly [name: string]: CredentialConfig };
  /** Replaces the gateway's `network` for requests of this server. */
  readonly network?: NetworkConfig;
  /** Inbound headers that are copied to requests to APIs. Never `Authorization`. */
  readonly forwardHeaders?: readonly string[];
  /** `search` lists three tools that find, describe and call all others. */
  readonly mode?: "tools" | "search";
  readonly sessions?: boolean;
  readonly capture?: boolean;
  readonly unknownTool?: "error" | "result";
}

/** Addresses that requests may go to besides public ones. */
export interface NetworkConfig {
  /** Networks and host names, such as `10.1.0.0/16` and `localhost`. */
  readonly allow?: readonly string[];
}

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
  };
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
