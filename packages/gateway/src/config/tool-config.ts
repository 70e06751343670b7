import type { ParameterStyle } from "@toolwire/openapi";
import type { JsonSchemaObject, ToolAnnotations } from "@toolwire/server";
import type { CredentialText, ReferringText } from "./texts.ts";

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
  /** Takes deprecated operations as well. Default: only those that `include` names. */
  readonly deprecated?: boolean;
  /** How tools are named: in words, like the id of their operation, or like its method and path. Default `readable`. */
  readonly names?: "readable" | "operationId" | "path";
  /** `lean` (default) leaves out of texts what models do not need; `full` keeps them. */
  readonly descriptions?: "lean" | "full";
  /** Credential to fetch the document with. */
  readonly credential?: string;
}

/** Operations by id or name of the tool, tag, method or path (`*` matches anything). */
export interface FilterConfig {
  readonly operations?: readonly string[];
  readonly tags?: readonly string[];
  readonly methods?: readonly string[];
  readonly paths?: readonly string[];
}
