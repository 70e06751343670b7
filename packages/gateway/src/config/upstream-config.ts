import type { CredentialText } from "./texts.ts";

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
  /** The largest results: `maxBytes` of all of it (default 1 MiB), and `maxText` characters for the model (default 80000). */
  readonly response?: { readonly maxBytes?: number; readonly maxText?: number };
  /** Refuse tools that have changed until somebody accepts them. */
  readonly pin?: boolean;
  /** Without a call for this long, the connection is closed and the process stopped until the next. Default: never; 10m with `perUser`. */
  readonly idleTimeout?: number | string;
  readonly timeout?: number | string;
}
