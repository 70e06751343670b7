import type { AnySchema } from "@toolwire/protocol";
import type {
  Awaitable,
  Context,
  Listed,
  ServerMiddleware,
  ToolAnnotations,
  ToolContent,
  ToolInput,
} from "@toolwire/server";
import type { HttpCaller } from "../caller/http-caller.ts";
import type { Auth } from "../credentials/auth.ts";
import type { BodyEncoding, HttpMethod, ParameterSpec } from "../request/request-spec.ts";
import type { ResponseOptions } from "../response/options.ts";

/** Where an argument goes, and how it is written. The short form is the place alone. */
export type Placement = "path" | "query" | "header" | "cookie" | "body" | ParameterPlacement | BodyPlacement;

/** An argument that becomes a part of the URL, a header or a cookie. */
export interface ParameterPlacement extends Pick<
  ParameterSpec,
  "style" | "explode" | "allowReserved" | "pathSeparators" | "contentType" | "deepObjectArrays"
> {
  readonly in: "path" | "query" | "header" | "cookie";
  /** The name that the API knows. Default: the name of the argument. */
  readonly name?: string | undefined;
}

/** An argument that becomes a property of the body. */
export interface BodyPlacement {
  readonly in: "body";
  /** The place in the body as a JSON Pointer, such as `/customer/email`. Default: a property with the name of the argument. */
  readonly pointer?: string | undefined;
}

/** The body of a request. */
export interface BodyOptions {
  /**
   * The media type. Default `application/json`. Forms, `multipart/form-data`, texts and binary types are written as such types
   * are.
   */
  readonly type?: string | undefined;
  /** One argument that is the whole body. Default: every argument for the body becomes a property of it. */
  readonly argument?: string | undefined;
  /** How properties of a form or a multipart body are written, by the name of the property. */
  readonly encoding?: { readonly [property: string]: BodyEncoding } | undefined;
  /** The most bytes of a file, decoded. Default 1 MiB. */
  readonly maxFileBytes?: number | undefined;
}

/** The response of an API, for `response.transform`. */
export interface ApiResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON. Throws a `ToolError` if it is not JSON. */
  json(): unknown;
}

/** How the response of the API becomes a result. */
export interface HttpToolResponseOptions extends ResponseOptions {
  /** Makes the content of a successful response. It replaces all other options but `maxBytes`. */
  readonly transform?: ((response: ApiResponse, ctx: Context) => Awaitable<ToolContent>) | undefined;
}

/** The place of each argument that the schema `I` has. */
export type Placements<I> = { readonly [Argument in keyof ToolInput<I>]?: Placement | undefined };

/** The options of `httpTool`. */
export interface HttpToolOptions<I extends AnySchema | undefined> extends Omit<Listed, "_meta"> {
  /** Tells the model when and how to use the tool. */
  readonly description: string;
  readonly method: HttpMethod;
  /** Absolute, with `{name}` for arguments in the path or the query: `https://api.example.com/users/{id}?view={view}`. */
  readonly url: string;
  /** The schema of the arguments. Absent: the tool takes none. Only arguments that it lists by name are sent. */
  readonly input?: I;
  /**
   * Where arguments go. Default: arguments that the URL names to their places in it; all others to the query for GET, HEAD, DELETE
   * and OPTIONS, else to the body.
   */
  readonly params?: Placements<I> | undefined;
  readonly body?: BodyOptions | undefined;
  /** Headers that every request has. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The credential: `bearer()`, `apiKey()`, `basic()`, `headers()`, or `clientCredentials()` of `@toolwire/openapi/oauth`. */
  readonly auth?: Auth | undefined;
  readonly response?: HttpToolResponseOptions | undefined;
  /** How many milliseconds a call may take. Default 30 000. */
  readonly timeout?: number | undefined;
  /**
   * How often a request may be sent again. Default 2 for GET, HEAD and OPTIONS, else 0. PUT and DELETE are repeated if you say so;
   * POST and PATCH only if no connection was made.
   */
  readonly retries?: number | undefined;
  /** Sends the requests. Default: a guarded caller that all tools share, which reaches public addresses only. */
  readonly http?: HttpCaller | undefined;
  /** Default: `readOnlyHint` and others, as the method tells. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Functions around every call of this tool. */
  readonly middleware?: readonly ServerMiddleware[] | undefined;
  readonly _meta?: Listed["_meta"];
}
