/** From a request as plain data to a plan that every call walks. Nothing of the data is looked at again. */
import { UsageError } from "@toolwire/protocol";
import {
  compileRead,
  isComposite,
  isPresent,
  jsonOf,
  labelOf,
  type ReadArgument,
  refuseArgument,
  textOf,
} from "./arguments.ts";
import { compileBody, type WriteBody } from "./body.ts";
import { type Encode, encodeReservedInQuery, encodeValue, keepText } from "./encode.ts";
import { compileForm } from "./form-body.ts";
import { expectArgumentHeader, expectFixedHeaders, expectHeaderValue } from "./headers.ts";
import type { HttpRequest } from "./http-request.ts";
import { essenceOf, isJsonType } from "./media-type.ts";
import { compilePath, pathEncoder, type TemplateSlot } from "./path.ts";
import type { HttpMethod, ParameterSpec, RequestSpec } from "./request-spec.ts";
import { compileStyle, type StyleOptions, type WriteValue } from "./styles.ts";

/** A request, compiled: maps arguments to HTTP requests. */
export interface RequestPlan {
  readonly method: HttpMethod;
  readonly origin: string;
  /**
   * Maps valid arguments to a request without credentials.
   *
   * @throws ToolError if a value cannot be sent, such as `..` in a path
   */
  resolve(args: object): HttpRequest;
}

/** An argument on its way to a header, or to pairs of a query or of cookies. */
interface Slot {
  readonly read: ReadArgument;
  readonly write: WriteValue;
}

/** The headers of every request unless the definition has its own. */
const DEFAULT_HEADERS = { accept: "application/json, */*;q=0.8", "user-agent": "toolwire" };

/**
 * Compiles a request.
 *
 * @throws UsageError if the request can never be sent: a bad URL, a `{name}` without a parameter, a protected header
 */
export function compileRequest(spec: RequestSpec): RequestPlan {
  const { method, parameters } = spec;
  if (spec.body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new UsageError("INVALID_DEFINITION", `A ${method} request has no body. Send the arguments in the query.`);
  }
  const { origin, basePath } = splitBaseUrl(spec.baseUrl);
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const template = compilePath(basePath + spec.path, {
    inPath: new Map(inPath.map((each) => [each.name, compileTemplateSlot(each, pathEncoder(each))])),
    inQuery: new Map(inPath.map((each) => [each.name, compileTemplateSlot(each, encodeValue)])),
  });
  const query = parameters.filter((parameter) => parameter.in === "query").map(compileQuerySlot);
  const headers = parameters.filter((parameter) => parameter.in === "header").map(compileHeaderSlot);
  const cookies = parameters.filter((parameter) => parameter.in === "cookie").map(compileCookieSlot);
  const fixed: Record<string, string> = { ...DEFAULT_HEADERS, ...expectFixedHeaders(spec.headers ?? {}) };
  const writeBody: WriteBody | undefined = spec.body === undefined ? undefined : compileBody(spec.body);

  return {
    method,
    origin,
    resolve(args) {
      const path = template.writePath(args);
      if (template.isDynamic && MAY_CHANGE.test(path)) expectSamePath(origin, path);
      const pairs = joinSlots(query, args, "&", template.writeQuery(args));
      const sent = { ...fixed };
      for (const { name, read, write } of headers) {
        const value = read(args);
        const text = isPresent(value) ? write(value) : undefined;
        if (text !== undefined) sent[name] = text;
      }
      if (cookies.length > 0) {
        const cookie = joinSlots(cookies, args, "; ", fixed["cookie"] ?? "");
        if (cookie !== "") sent["cookie"] = cookie;
      }
      const body = writeBody?.(args);
      if (body !== undefined) sent["content-type"] = body.type;
      return {
        method,
        origin,
        path: pairs === "" ? path : `${path}?${pairs}`,
        headers: sent,
        body: body?.content,
        secrets: undefined,
      };
    },
  };
}

function splitBaseUrl(baseUrl: string): { origin: string; basePath: string } {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `"${withoutUser(baseUrl)}" must be an absolute URL that begins with https:// or http://.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("INVALID_DEFINITION", "A URL must not contain a user name or password: use `auth: basic(…)`.");
  }
  if (url.search !== "" || url.hash !== "") {
    throw new UsageError("INVALID_DEFINITION", `The base URL of ${url.origin} must have no query and no fragment.`);
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/$/, "") };
}

/** Hides a user name and password, which do not belong into a URL. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^/]*@/, "//…@");
}

/** Characters that a parser of URLs may change or remove. Most paths have none. */
const MAY_CHANGE = /[^\w/~,;=:@-]/;

/**
 * The last check of a path with values: a parser of URLs must not see another path than the one that was built. If it did,
 * a proxy on the way could send the request, with its credentials, elsewhere.
 */
function expectSamePath(origin: string, path: string): void {
  const url = new URL(origin + path);
  if (url.pathname === path && url.origin === origin) return;
  throw refuseArgument("path", "the values do not make a path that is the same for every reader");
}

function joinSlots(slots: readonly Slot[], args: object, separator: string, first: string): string {
  let joined = first;
  for (const { read, write } of slots) {
    const value = read(args);
    const text = isPresent(value) ? write(value) : undefined;
    if (text !== undefined) joined = joined === "" ? text : joined + separator + text;
  }
  return joined;
}

function compileTemplateSlot(parameter: ParameterSpec, encode: Encode): TemplateSlot {
  const read = compileRead(parameter.argument);
  const label = labelOf(parameter.argument);
  const content = parameter.contentType === undefined ? undefined : compileContent(parameter.contentType, label);
  const write: WriteValue =
    content === undefined
      ? compileStyle(styleOf(parameter, "simple", encode, "&"))
      : (value) => encode(content(value), label);
  return {
    name: parameter.name,
    label,
    write(args) {
      const value = read(args);
      return isPresent(value) ? write(value) : undefined;
    },
  };
}

function compileQuerySlot(parameter: ParameterSpec): Slot {
  const encode = parameter.allowReserved === true ? encodeReservedInQuery : encodeValue;
  return { read: compileRead(parameter.argument), write: compilePairs(parameter, encode, "&") };
}

function compileCookieSlot(parameter: ParameterSpec): Slot {
  const write = compilePairs(parameter, encodeValue, "; ");
  const label = labelOf(parameter.argument);
  const isExploded = parameter.contentType === undefined && (parameter.explode ?? true);
  return {
    read: compileRead(parameter.argument),
    write(value) {
      // The members of an exploded object become cookies of their own, and an argument could then set any cookie.
      if (isExploded && isComposite(value) && !Array.isArray(value)) {
        throw refuseArgument(label, "an object cannot be sent as a cookie");
      }
      return write(value);
    },
  };
}

/** Pairs of names and values, as in queries and cookies. */
function compilePairs(parameter: ParameterSpec, encode: Encode, pairSeparator: string): WriteValue {
  if (parameter.contentType === undefined) return compileStyle(styleOf(parameter, "form", encode, pairSeparator));
  const label = labelOf(parameter.argument);
  const content = compileContent(parameter.contentType, label);
  const name = encodeName(parameter.name);
  return (value) => `${name}=${encode(content(value), label)}`;
}

function compileHeaderSlot(parameter: ParameterSpec): Slot & { readonly name: string } {
  const label = labelOf(parameter.argument);
  const { contentType } = parameter;
  const content = contentType === undefined ? undefined : compileContent(contentType, label);
  const style = compileStyle(styleOf(parameter, "simple", keepText, ","));
  return {
    name: expectArgumentHeader(parameter.name),
    read: compileRead(parameter.argument),
    write(value) {
      const text = content === undefined ? style(value) : escapeJson(content(value), contentType!);
      return text === undefined ? undefined : expectHeaderValue(text, label);
    },
  };
}

function styleOf(
  parameter: ParameterSpec,
  fallback: "simple" | "form",
  encode: Encode,
  pairSeparator: string,
): StyleOptions {
  const { style = fallback, deepObjectArrays } = parameter;
  expectStyle(parameter, style);
  const name = parameter.in === "header" ? parameter.name : encodeName(parameter.name);
  const explode = parameter.explode ?? style === "form";
  return { style, explode, name, encode, label: labelOf(parameter.argument), pairSeparator, deepObjectArrays };
}

/** The styles that OpenAPI allows in each place. Swagger 2 has tabs in queries. */
const STYLES: { readonly [place in ParameterSpec["in"]]: readonly string[] } = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

function expectStyle(parameter: ParameterSpec, style: string): void {
  const allowed = STYLES[parameter.in];
  if (allowed.includes(style)) return;
  throw new UsageError(
    "INVALID_DEFINITION",
    `The parameter "${parameter.name}" cannot have the style "${style}": in "${parameter.in}", use ${allowed.join(", ")}.`,
  );
}

function encodeName(name: string): string {
  try {
    return encodeValue(name, name);
  } catch {
    throw new UsageError("INVALID_DEFINITION", `The name of the parameter "${name}" holds half of a surrogate pair.`);
  }
}

/** Writes the value of a `content` parameter as its media type has it. */
function compileContent(contentType: string, label: string): (value: unknown) => string {
  if (isJsonType(contentType)) return (value) => jsonOf(value, label);
  if (essenceOf(contentType) === "application/x-www-form-urlencoded") {
    const write = compileForm(undefined);
    return (value) => (isComposite(value) ? write(value, label) : textOf(value, label));
  }
  return (value) => textOf(value, label);
}

/** JSON can say every character in ASCII, which headers are limited to. */
function escapeJson(text: string, contentType: string): string {
  if (!isJsonType(contentType)) return text;
  return text.replaceAll(/[^\u0020-\u007E]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
