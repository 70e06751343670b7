/** From the options of `httpTool` to a request as plain data. */
import { UsageError } from "@toolwire/protocol";
import { expectChoice, expectOption, expectOptions, isObject, type OptionNames } from "@toolwire/protocol/internal";
import { essenceOf, isJsonType } from "../request/media-type.ts";
import type { BodyProperty, BodySpec, HttpMethod, ParameterSpec, RequestSpec } from "../request/request-spec.ts";
import type { BodyOptions, BodyPlacement, ParameterPlacement, Placement } from "./options.ts";

/** The options of a tool that make its request. */
export interface RequestOptions {
  readonly method: HttpMethod;
  readonly url: string;
  readonly params?: { readonly [argument: string]: Placement | undefined } | undefined;
  readonly body?: BodyOptions | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
const PLACES = ["path", "query", "header", "cookie", "body"] as const;

const PARAMETER_NAMES: OptionNames<ParameterPlacement> = {
  in: true,
  name: true,
  style: true,
  explode: true,
  allowReserved: true,
  pathSeparators: true,
  contentType: true,
  deepObjectArrays: true,
};
const BODY_PLACEMENT_NAMES: OptionNames<BodyPlacement> = { in: true, pointer: true };
const BODY_NAMES: OptionNames<BodyOptions> = { type: true, argument: true, encoding: true, maxFileBytes: true };

/**
 * Makes a request as plain data. `names` are those of the arguments that the tool's schema lists.
 *
 * @throws UsageError if options contradict each other or the schema
 */
export function requestOf(options: RequestOptions, names: readonly string[]): RequestSpec {
  const { url, headers, body } = options;
  const method = expectChoice(
    "method",
    METHODS,
    expectOption("method", options.method, options.method !== undefined, "a method such as GET"),
  );
  const { baseUrl, path } = splitUrl(url);
  const inUrl = new Set(Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name));
  if (body !== undefined) expectOptions("body", body, BODY_NAMES);
  const placements = placeArguments(options, names, inUrl);
  const parameters: ParameterSpec[] = [];
  const properties: BodyProperty[] = [];
  for (const [argument, placement] of placements) {
    if (placement.in !== "body") {
      parameters.push({ ...placement, argument: [argument], name: placement.name ?? argument });
    } else if (argument !== body?.argument) {
      properties.push({ argument: [argument], property: readPointer(argument, placement) });
    }
  }
  expectUrlNames(parameters, inUrl, url);
  return { method, baseUrl, path, parameters, headers, body: bodyOf(method, body, properties) };
}

/** The URL up to the path, and the rest. Placeholders are not legal in URLs, so this is not left to the parser. */
function splitUrl(url: string): { baseUrl: string; path: string } {
  expectOption("url", url, typeof url === "string", "text");
  const [, baseUrl, rest = ""] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(url) ?? [];
  if (baseUrl === undefined) {
    throw new UsageError("INVALID_DEFINITION", `\`url\` must begin with https:// or http:// and a host; got "${url}".`);
  }
  if (/[{}]/.test(baseUrl)) {
    throw new UsageError("INVALID_DEFINITION", `No argument can be a part of the host in \`url\`; got "${url}".`);
  }
  return { baseUrl, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** The place of each argument: what `params` says, else what the URL and the method suggest. */
function placeArguments(
  { method, params = {}, body }: RequestOptions,
  names: readonly string[],
  inUrl: ReadonlySet<string>,
): Map<string, ParameterPlacement | BodyPlacement> {
  expectOption("params", params, isObject(params), "an object of arguments and their places");
  const rest = method === "GET" || method === "HEAD" || method === "DELETE" || method === "OPTIONS" ? "query" : "body";
  const placements = new Map<string, ParameterPlacement | BodyPlacement>();
  for (const name of names) {
    placements.set(name, inUrl.has(name) ? { in: "path" } : { in: name === body?.argument ? "body" : rest });
  }
  for (const [name, given] of Object.entries(params)) {
    if (given === undefined) continue;
    if (!placements.has(name)) {
      const known = names.length === 0 ? "it takes no arguments" : `its arguments are ${names.join(", ")}`;
      throw new UsageError(
        "INVALID_DEFINITION",
        `\`params\` names "${name}", which \`input\` does not have: ${known}.`,
      );
    }
    placements.set(name, readPlacement(name, given));
  }
  return placements;
}

function readPlacement(name: string, given: Placement): ParameterPlacement | BodyPlacement {
  const placement = typeof given === "string" ? { in: given } : given;
  expectOption(`params.${name}`, placement, isObject(placement), 'a place such as "query", or an object with `in`');
  expectChoice(`params.${name}.in`, PLACES, placement.in ?? ("" as "path"));
  if (placement.in === "body") expectOptions(`params.${name}`, placement, BODY_PLACEMENT_NAMES);
  else expectOptions(`params.${name}`, placement as ParameterPlacement, PARAMETER_NAMES);
  return placement as ParameterPlacement | BodyPlacement;
}

/** `/customer/email` as names (RFC 6901). */
function readPointer(argument: string, { pointer }: BodyPlacement): string[] {
  if (pointer === undefined) return [argument];
  if (!/^\/.+/.test(pointer)) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `The pointer of "${argument}" must be like "/customer/email"; got "${pointer}".`,
    );
  }
  return pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function expectUrlNames(parameters: readonly ParameterSpec[], inUrl: ReadonlySet<string>, url: string): void {
  const declared = new Set(parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name));
  for (const name of inUrl) {
    if (declared.has(name)) continue;
    throw new UsageError("INVALID_DEFINITION", `"{${name}}" in \`url\` names no argument: add "${name}" to \`input\`.`);
  }
  for (const name of declared) {
    if (inUrl.has(name)) continue;
    throw new UsageError(
      "INVALID_DEFINITION",
      `The argument for the path "${name}" has no place in \`url\`: write "{${name}}" there; got "${url}".`,
    );
  }
}

function bodyOf(
  method: HttpMethod,
  options: BodyOptions | undefined,
  properties: readonly BodyProperty[],
): BodySpec | undefined {
  const { type = "application/json", argument, encoding, maxFileBytes } = options ?? {};
  if (argument === undefined && properties.length === 0) return undefined;
  const [first] = properties;
  if (argument !== undefined && first !== undefined) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `"${argument}" is the whole body, so "${first.argument[0]}" cannot be in the body, too: give it another place in \`params\`.`,
    );
  }
  const format = formatOf(type);
  if ((format === "text" || format === "binary") && argument === undefined) {
    throw new UsageError("INVALID_DEFINITION", `A body of the type "${type}" is one argument: set \`body.argument\`.`);
  }
  if (method === "GET" || method === "HEAD") {
    throw new UsageError(
      "INVALID_DEFINITION",
      `A ${method} request has no body: send "${argument ?? first?.argument[0]}" in the query.`,
    );
  }
  const from = argument === undefined ? { properties } : { argument: [argument] };
  return { contentType: type, format, from, encoding, maxFileBytes };
}

/** How a body of a media type is written. */
function formatOf(type: string): BodySpec["format"] {
  const essence = essenceOf(type);
  if (isJsonType(type)) return "json";
  if (essence === "application/x-www-form-urlencoded") return "form";
  if (essence === "multipart/form-data") return "multipart";
  return /^text\/|^application\/(?:xml|.*\+xml|graphql|sql|yaml|x-ndjson)$/.test(essence) ? "text" : "binary";
}
