/** A hand-written tool while it is filled in, and the configuration that it becomes. */
import type { JsonSchemaObject } from "@toolwire/json-schema";
import type { HttpToolConfig, ParamConfig } from "../../../src/config/config.ts";
import { pairsOf, textsOf, type Pair } from "./pairs.ts";

/** The types of arguments that a row can have. */
export const ARGUMENT_TYPES = ["string", "integer", "number", "boolean"] as const;

/** Methods of HTTP, the usual ones first. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

/** Where an argument can go. The empty one stands for the usual place. */
export const PLACES = ["", "path", "query", "header", "cookie", "body"] as const;

/** One argument as a row of the form. */
export interface ArgumentDraft {
  readonly name: string;
  readonly type: (typeof ARGUMENT_TYPES)[number];
  readonly isRequired: boolean;
  readonly description: string;
  readonly place: (typeof PLACES)[number];
}

/** A tool as the form has it. */
export interface ToolDraft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly method: (typeof METHODS)[number];
  readonly url: string;
  /** `undefined` if the schema says more than rows can: then `schema` has it. */
  readonly rows: readonly ArgumentDraft[] | undefined;
  /** The schema of the arguments as JSON. */
  readonly schema: string;
  readonly headers: readonly Pair[];
  /** The name of a credential; empty for the only one. */
  readonly credential: string;
  /** A JMESPath expression; empty for the whole response. */
  readonly select: string;
  readonly as: "text" | "auto";
  readonly status: "active" | "draft";
  /** Members that the form does not show, and keeps as they are. */
  readonly kept: Partial<HttpToolConfig>;
}

/** A form that nobody has filled in yet. */
export const EMPTY_TOOL: ToolDraft = {
  name: "",
  title: "",
  description: "",
  method: "GET",
  url: "",
  rows: [],
  schema: "",
  headers: [],
  credential: "",
  select: "",
  as: "text",
  status: "active",
  kept: {},
};

/** An argument that nobody has filled in yet. */
export const EMPTY_ARGUMENT: ArgumentDraft = {
  name: "",
  type: "string",
  isRequired: false,
  description: "",
  place: "",
};

/** Fills the form from a configuration. */
export function draftOfTool(name: string, config: HttpToolConfig): ToolDraft {
  const { title, description, status, request, input, response, credential, ...others } = config;
  const { method, url, headers, params, ...otherRequest } = request;
  const { select, as, ...otherResponse } = response ?? {};
  const rows = rowsOf(input, params);
  return {
    name,
    title: title ?? "",
    description,
    method,
    url,
    rows,
    schema: rows === undefined ? JSON.stringify(input ?? {}, null, 2) : "",
    headers: pairsOf(headers),
    credential: credential ?? "",
    select: select ?? "",
    as: as ?? "text",
    status: status ?? "active",
    kept: {
      ...others,
      request: { method, url, ...otherRequest, ...(rows === undefined && params !== undefined ? { params } : {}) },
      ...(Object.keys(otherResponse).length === 0 ? {} : { response: otherResponse }),
    },
  };
}

/**
 * The configuration that a form says. Names are as they were typed, so that the gateway finds what is wrong with them.
 *
 * @throws SyntaxError if the schema is not JSON
 */
export function toolOfDraft(draft: ToolDraft): HttpToolConfig {
  const { title, description, method, url, rows, headers, credential, select, as, status, kept } = draft;
  const { request, response, ...others } = kept;
  const input = rows === undefined ? (JSON.parse(draft.schema) as JsonSchemaObject) : schemaOfRows(rows);
  const params = rows === undefined ? request?.params : paramsOfRows(rows);
  const fixed = textsOf(headers);
  const shaped = {
    ...response,
    ...(select.trim() === "" ? {} : { select: select.trim() }),
    ...(as === "auto" ? { as } : {}),
  };
  return {
    ...others,
    ...(title.trim() === "" ? {} : { title: title.trim() }),
    description: description.trim(),
    ...(status === "draft" ? { status } : {}),
    request: {
      ...request,
      method,
      url: url.trim(),
      ...(params === undefined ? {} : { params }),
      ...(fixed === undefined ? {} : { headers: fixed }),
    },
    ...(input === undefined ? {} : { input }),
    ...(Object.keys(shaped).length === 0 ? {} : { response: shaped }),
    ...(credential === "" ? {} : { credential }),
  };
}

/**
 * The arguments after a change of the URL: each that it names has a row, required, and a text. A row that is there only because the
 * URL named it before goes away.
 */
export function withArgumentsOfUrl(
  rows: readonly ArgumentDraft[],
  url: string,
  before: string,
): readonly ArgumentDraft[] {
  const named = namesInUrl(url);
  const dropped = new Set(namesInUrl(before).filter((name) => !named.includes(name)));
  const kept = rows.filter((row) => !(dropped.has(row.name) && isUntouched(row)));
  const missing = named.filter((name) => !kept.some((row) => row.name === name));
  return [...kept, ...missing.map(argumentOfUrl)];
}

function namesInUrl(url: string): readonly string[] {
  return [...new Set(Array.from(url.matchAll(/(?<!\$)\{([\w.-]+)\}/g), ([, name = ""]) => name))];
}

function argumentOfUrl(name: string): ArgumentDraft {
  return { ...EMPTY_ARGUMENT, name, isRequired: true };
}

function isUntouched(row: ArgumentDraft): boolean {
  return JSON.stringify(row) === JSON.stringify(argumentOfUrl(row.name));
}

/** The schema that rows stand for, as JSON text, for those who go on by hand. */
export function writeSchema(rows: readonly ArgumentDraft[]): string {
  return JSON.stringify(schemaOfRows(rows) ?? { type: "object", properties: {} }, null, 2);
}

function schemaOfRows(rows: readonly ArgumentDraft[]): JsonSchemaObject | undefined {
  if (rows.length === 0) return undefined;
  const required = rows.filter(({ isRequired }) => isRequired).map(({ name }) => name.trim());
  return {
    type: "object",
    properties: Object.fromEntries(
      rows.map(({ name, type, description }) => [
        name.trim(),
        { type, ...(description.trim() === "" ? {} : { description: description.trim() }) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

function paramsOfRows(rows: readonly ArgumentDraft[]): { readonly [argument: string]: ParamConfig } | undefined {
  const placed = rows.flatMap(({ name, place }) => (place === "" ? [] : [[name.trim(), place] as const]));
  return placed.length === 0 ? undefined : Object.fromEntries(placed);
}

/** Rows that stand for a schema and the places of its arguments; `undefined` if they would lose anything. */
function rowsOf(
  input: JsonSchemaObject | undefined,
  params: { readonly [argument: string]: ParamConfig } = {},
): readonly ArgumentDraft[] | undefined {
  const { type = "object", properties = {}, required = [], ...others } = input ?? {};
  const isPlain = type === "object" && Object.keys(others).length === 0;
  if (!isPlain || typeof properties !== "object" || properties === null || !Array.isArray(required)) return undefined;
  const names = Object.keys(properties);
  const named = [...(required as readonly unknown[]), ...Object.keys(params)];
  if (!named.every((name) => names.includes(String(name)))) return undefined;
  const rows = Object.entries(properties as { readonly [name: string]: unknown }).map(([name, schema]) =>
    rowOf(name, schema, required.includes(name), Object.hasOwn(params, name) ? params[name] : ""),
  );
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function rowOf(
  name: string,
  schema: unknown,
  isRequired: boolean,
  place: ParamConfig | "" | undefined,
): ArgumentDraft | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { type, description = "", ...others } = schema as { readonly type?: unknown; readonly description?: unknown };
  const known = ARGUMENT_TYPES.find((each) => each === type);
  const where = PLACES.find((each) => each === place);
  if (known === undefined || where === undefined) return undefined;
  if (typeof description !== "string" || Object.keys(others).length > 0) return undefined;
  return { name, type: known, isRequired, description, place: where };
}
