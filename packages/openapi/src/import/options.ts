import type { ToolAnnotations } from "@toolwire/server";
import type { HttpCaller } from "../caller/http-caller.ts";
import type { Auth } from "../credentials/auth.ts";
import type { CredentialValue } from "../credentials/credential-value.ts";
import type { ResponseOptions } from "../response/options.ts";
import type { ParameterSpec } from "../request/request-spec.ts";
import type { DescriptionStyle } from "../schema/texts.ts";
import type { OperationInfo } from "./imported-operation.ts";
import type { NameStyle } from "./names.ts";

/** Chooses operations. A list of texts is a list of operation ids or names of tools, in which `*` matches anything. */
export type OperationFilter = readonly string[] | OperationFilterRules | ((operation: OperationInfo) => boolean);

/** Chooses operations that fit every rule that is given; within a rule, one entry is enough. */
export interface OperationFilterRules {
  /** Operation ids, or names of tools. `*` matches any characters. */
  readonly operations?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Methods in any case, such as `GET`. */
  readonly methods?: readonly string[] | undefined;
  /** Paths. `*` matches within a segment, `**` across segments: `/users/*`, `/admin/**`. */
  readonly paths?: readonly string[] | undefined;
}

/** A credential for a security scheme. Text, or a function that looks it up, is sent as the document describes the scheme. */
export type SchemeCredential = Auth | CredentialValue;

/** The parts of a tool that you can set for an operation. */
export interface ToolOverrides {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** The credential of this operation. `null` sends none, whatever the document demands. */
  readonly auth?: Auth | null | undefined;
  /** Where this operation is, if not at the base URL of the others. */
  readonly baseUrl?: string | undefined;
  /** The media type of the body, if the document offers several. */
  readonly bodyType?: string | undefined;
  readonly response?: ResponseOptions | undefined;
  /** Milliseconds that a call may take. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
}

/** How to read a document, and which of its operations to take. */
export interface OpenApiOptions {
  /** Takes these operations only. Default: all that are not deprecated. */
  readonly include?: OperationFilter | undefined;
  /** Leaves these operations out. */
  readonly exclude?: OperationFilter | undefined;
  /** Takes deprecated operations as well. Default false; an operation that `include` names by its id is always taken. */
  readonly deprecated?: boolean | undefined;
  /** The URL of the API, with its base path: `https://api.example.com/v1`. Default: the server of the document, if `hosts` allows it. */
  readonly baseUrl?: string | undefined;
  /** Hosts to which requests may go besides that of `baseUrl`: `api.example.com`, or `api.example.com:8443` with a port. */
  readonly hosts?: readonly string[] | undefined;
  /** Values for variables in server URLs. Default: those of the document. */
  readonly variables?: { readonly [name: string]: string } | undefined;
  /** The URL of the document itself. Relative server URLs are resolved against it. */
  readonly documentUrl?: string | undefined;
  /** Other documents that this one refers to, by the URL or relative path that its references use. Nothing is ever fetched. */
  readonly documents?: { readonly [reference: string]: unknown } | undefined;
  /**
   * One credential for every request, or one for each security scheme by its name in the document. Text is sent in the way that the
   * scheme describes: as a bearer token, or as a key under its name.
   */
  readonly auth?: Auth | { readonly [scheme: string]: SchemeCredential } | undefined;
  /** `flat` (default): parameters and properties of the body side by side. `grouped`: in `path`, `query`, `header`, `cookie` and `body`. */
  readonly arguments?: "flat" | "grouped" | undefined;
  /** How `deepObject` parameters write lists, which OpenAPI leaves open. Default `brackets`. */
  readonly deepObjectArrays?: ParameterSpec["deepObjectArrays"];
  /** Whether values of paths may contain `/` and `\\`. Default `refuse`; some servers decode `%2F` before they look for the route. */
  readonly pathSeparators?: ParameterSpec["pathSeparators"];
  /**
   * How tools are named. `readable` (default): in words, the verb first, such as `create_customer`. `operationId`: like the id that the
   * document gives. `path`: like method and path. A function chooses the name itself; `undefined` keeps the readable one.
   */
  readonly names?: NameStyle | ((operation: OperationInfo) => string | undefined) | undefined;
  /**
   * `lean` (default): a title is not repeated, links and images are dropped to their text, long texts end after a sentence, and what
   * only repeats a name is left out. `full`: texts as the document has them, cleaned of markup, up to longer limits.
   */
  readonly descriptions?: DescriptionStyle | undefined;
  /** Changes a tool, or leaves it out with `false`. */
  readonly tool?: ((operation: OperationInfo) => ToolOverrides | false | undefined) | undefined;
  /** The most tools. More are an error that says so. Default: no limit but that of 5000 operations. */
  readonly maxTools?: number | undefined;
  /** How responses become results. With `output: true`, tools list the schema of their responses, loosened. */
  readonly response?: ResponseOptions | undefined;
  /** Milliseconds that a call may take. Default 30 000. */
  readonly timeout?: number | undefined;
  /** How often a request may be sent again. Default 2 for GET, HEAD and OPTIONS, else 0. */
  readonly retries?: number | undefined;
  /** Sends the requests. Default: the guarded caller of this package. */
  readonly http?: HttpCaller | undefined;
}
