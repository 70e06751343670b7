/** The methods of HTTP that a tool can use. */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";

/** How a list or an object is written into a parameter, as in OpenAPI. `tabDelimited` is Swagger 2's `tsv`. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "tabDelimited"
  | "deepObject";

/** Where a value is in the arguments of a call: the names from the root down. Flat arguments have one name. */
export type ArgumentPath = readonly string[];

/** One argument that becomes a part of the URL, a header or a cookie. */
export interface ParameterSpec {
  readonly argument: ArgumentPath;
  readonly in: "path" | "query" | "header" | "cookie";
  /** The name that the API knows. It need not be the name of the argument. */
  readonly name: string;
  /** Default: `simple` in paths and headers, `form` elsewhere. */
  readonly style?: ParameterStyle | undefined;
  /** Default: true for `form`, else false. */
  readonly explode?: boolean | undefined;
  /** Whether characters that URLs reserve are written as they are. Default false. */
  readonly allowReserved?: boolean | undefined;
  /**
   * Whether a value of a path may contain `/` and `\`. `refuse`, the default, is the safest: some servers decode `%2F` before
   * they look for the route. `encode` sends `%2F`. `keep` lets the value be several segments, none of them `.` or `..`.
   */
  readonly pathSeparators?: "refuse" | "encode" | "keep" | undefined;
  /** The media type of a `content` parameter, which is written as one text whatever its value. */
  readonly contentType?: string | undefined;
  /**
   * How `deepObject` writes lists, which OpenAPI leaves open. Default `brackets`, as in `color[]=blue`; lists of
   * objects then have indices, as in `color[0][name]=blue`.
   */
  readonly deepObjectArrays?: "brackets" | "indices" | "repeat" | undefined;
}

/** How one property of a form or a multipart body is written: the Encoding Object of OpenAPI. */
export interface BodyEncoding {
  readonly contentType?: string | undefined;
  readonly style?: ParameterStyle | undefined;
  readonly explode?: boolean | undefined;
  readonly allowReserved?: boolean | undefined;
  readonly deepObjectArrays?: ParameterSpec["deepObjectArrays"];
  /** The property is a file: an object with `base64` or `text`, and optionally `filename` and `mimeType`. */
  readonly isFile?: boolean | undefined;
}

/** An argument that becomes a property of the body. */
export interface BodyProperty {
  readonly argument: ArgumentPath;
  /** The names from the root of the body down to the property. */
  readonly property: readonly string[];
}

/** The body of a request. */
export interface BodySpec {
  /** The `Content-Type` to send. Multipart bodies get their boundary added. */
  readonly contentType: string;
  readonly format: "json" | "form" | "multipart" | "text" | "binary";
  /** One argument that is the whole body, or arguments that become its properties. */
  readonly from: { readonly argument: ArgumentPath } | { readonly properties: readonly BodyProperty[] };
  /** By property, for forms and multipart bodies. */
  readonly encoding?: { readonly [property: string]: BodyEncoding } | undefined;
  /** Whether to send a body if no argument for it is given. A JSON body is then `{}`. Default true. */
  readonly isRequired?: boolean | undefined;
  /** The most bytes of a file, decoded. Default 1 MiB. */
  readonly maxFileBytes?: number | undefined;
}

/** A request as plain data: what is fixed, and where each argument goes. It is compiled into a plan once. */
export interface RequestSpec {
  readonly method: HttpMethod;
  /** Absolute, with the base path, without a slash at the end: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Begins with a slash, and has `{name}` for each path parameter. May have a fixed query. */
  readonly path: string;
  readonly parameters: readonly ParameterSpec[];
  readonly body?: BodySpec | undefined;
  /** Headers that every request has. */
  readonly headers?: { readonly [name: string]: string } | undefined;
}
