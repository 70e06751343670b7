import { compileHttpTool } from "@toolwire/openapi";
import { type JsonSchemaObject, SchemaError, untrustedSchemaValidator } from "@toolwire/json-schema";
import { findNearestName } from "@toolwire/json-schema/internal";
import { isObject } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/server";
import { type Checks, HTTP } from "./checks.ts";
import type { HttpToolConfig, ParamConfig } from "../config.ts";
import { checkCredentialName } from "./credential.ts";
import type { ConfigPath } from "../problem.ts";

/** Checks a hand-written tool: its texts, its schema, and whether a request can be made of its arguments. */
export function checkTool(tool: HttpToolConfig, credentials: object, path: ConfigPath, checks: Checks): void {
  const { request, input, credential, limits } = tool;
  const url = checks.url(request.url, HTTP, [...path, "request", "url"]);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const filled = checks.filled(value, [...path, "request", "headers", name]);
    if (filled !== undefined) headers[name] = filled;
  }
  checks.duration(limits?.timeout, [...path, "limits", "timeout"]);
  checkCredentialName(credential, credentials, [...path, "credential"], checks);
  const isValid = input === undefined || checkSchema(input, [...path, "input"], checks);
  // An address that is not right yet says nothing about the arguments in its path. No message shows what was filled in.
  const draft = { tool, url: url ?? urlWithPathOf(request.url), headers, input: isValid ? input : outlineOf(input) };
  for (const { place, message } of findMistakes(draft)) {
    const told = url === undefined ? message : message.replaceAll(url, request.url);
    checks.error([...path, ...place], told);
  }
}

/** Checks a JSON Schema of arguments. Returns whether it can be used. */
function checkSchema(input: JsonSchemaObject, path: ConfigPath, checks: Checks): boolean {
  try {
    untrustedSchemaValidator.compile(input);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    checks.error(path, `This is not a valid JSON Schema: ${error.message}`);
    return false;
  }
  const { required, properties, patternProperties } = input;
  if (!Array.isArray(required) || !isObject(properties) || patternProperties !== undefined) return true;
  for (const [index, name] of (required as readonly string[]).entries()) {
    if (Object.hasOwn(properties, name)) continue;
    const advice = adviseName(name, Object.keys(properties));
    checks.warn(
      [...path, "required", index],
      `${JSON.stringify(name)} is required, but \`properties\` does not have it, so it is sent nowhere.${advice}`,
    );
  }
  return true;
}

/** What a tool is compiled of. References in its URL and its headers are filled in. */
interface Draft {
  readonly tool: HttpToolConfig;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly input: JsonSchemaObject | undefined;
}

/** A part of a tool that may be at fault, and the tool without that fault. */
interface Repair {
  readonly place: ConfigPath;
  readonly advice?: string;
  apply(draft: Draft): Draft;
}

/**
 * Finds everything that keeps a tool from being compiled. The compiler stops at the first mistake. It belongs to the part without
 * which there is none, or another one: the search goes on without it.
 */
function findMistakes(first: Draft): readonly { readonly place: ConfigPath; readonly message: string }[] {
  const found: { readonly place: ConfigPath; readonly message: string }[] = [];
  let repairs = listRepairs(first);
  let draft = first;
  for (let message = compile(draft); message !== undefined; message = compile(draft)) {
    const current = draft;
    const repair = repairs.find((each) => compile(each.apply(current)) !== message);
    found.push({ place: repair?.place ?? ["request"], message: message + (repair?.advice ?? "") });
    if (repair === undefined) break;
    draft = repair.apply(draft);
    repairs = repairs.filter((each) => each !== repair);
  }
  return found;
}

/** Why a tool cannot be compiled; `undefined` if it can. The gateway compiles it in the same way, with its credential. */
function compile({ tool: { request, response, description }, url, headers, input }: Draft): string | undefined {
  const { method, params, body } = request;
  try {
    compileHttpTool({ description, method, url, input, params, body, headers, response });
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

function listRepairs({ tool, url, headers, input }: Draft): readonly Repair[] {
  const { request, response = {} } = tool;
  const names = isObject(input?.properties) ? Object.keys(input.properties) : [];
  return [
    ...Object.entries(request.params ?? {}).flatMap(([name, param]) => repairsOfParam(name, param)),
    ...Object.keys(headers).map((name): Repair => ({
      place: ["request", "headers", name],
      apply: (draft) => ({ ...draft, headers: without(draft.headers, name) }),
    })),
    {
      place: ["request", "body"],
      apply: (draft) => withRequest(draft, { body: undefined }),
    },
    ...Object.keys(response).map((name): Repair => ({
      place: ["response", name],
      apply: (draft) => ({ ...draft, tool: { ...draft.tool, response: without(draft.tool.response ?? {}, name) } }),
    })),
    ...Array.from(new Set(url.matchAll(/\{([^{}]*)\}/g)), ([, name = ""]): Repair => ({
      place: ["request", "url"],
      advice: adviseName(name, names),
      apply: (draft) => ({ ...draft, input: withProperty(draft.input, name) }),
    })),
  ];
}

/** First without the details of a parameter, then without all of it. */
function repairsOfParam(name: string, param: ParamConfig): readonly Repair[] {
  const place = ["request", "params", name];
  const change = (to: ParamConfig | undefined): Repair => ({
    place,
    apply: (draft) => {
      const others = without(draft.tool.request.params ?? {}, name);
      return withRequest(draft, { params: to === undefined ? others : { ...others, [name]: to } });
    },
  });
  const bare =
    typeof param === "string" || param.in === "body"
      ? []
      : [change({ in: param.in, ...(param.name !== undefined && { name: param.name }) })];
  return [...bare, change(undefined)];
}

function withRequest(draft: Draft, change: object): Draft {
  return { ...draft, tool: { ...draft.tool, request: { ...draft.tool.request, ...change } } };
}

function withProperty(input: JsonSchemaObject | undefined, name: string): JsonSchemaObject {
  const properties = isObject(input?.properties) ? input.properties : {};
  return { ...input, type: "object", properties: { ...properties, [name]: {} } };
}

function without<T>(members: { readonly [name: string]: T }, name: string): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));
}

/** The arguments of a schema that is not valid, without what is said about them. */
function outlineOf(input: JsonSchemaObject | undefined): JsonSchemaObject {
  const names = isObject(input?.properties) ? Object.keys(input.properties) : [];
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

/** A URL with the placeholders of another one that cannot be called. */
function urlWithPathOf(url: string): string {
  const names = Array.from(url.replaceAll(/\$\{[^{}]*\}/g, "").matchAll(/\{[^{}]*\}/g), ([placeholder]) => placeholder);
  return `https://example.com/${[...new Set(names)].join("/")}`;
}

function adviseName(name: string, names: readonly string[]): string {
  const nearest = findNearestName(name, names);
  return nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
}
