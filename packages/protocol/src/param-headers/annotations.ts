/** `x-mcp-header` in a tool's input schema (2026-07-28, server/tools): which arguments also travel in headers. */

import { UsageError } from "../errors.ts";
import { quote } from "../messages/quote.ts";
import { isObject } from "../model/json.ts";
import { subschemasOf } from "@toolwire/json-schema/internal";

/** An argument that is mirrored into a header. */
export interface ParamHeader {
  /** The part of the header name after `Mcp-Param-`, as it was written. */
  readonly header: string;
  /** The property names that lead to the argument, from the outside in. */
  readonly path: readonly string[];
  /** The type of the argument. */
  readonly type: "string" | "integer" | "boolean";
}

const KEYWORD = "x-mcp-header";

/** A field name (RFC 9110, section 5.1). */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;

/** Protects the stack; deeper than our validators accept. */
const MAX_DEPTH = 256;

/** As many as our validators accept. A server may list hundreds of tools on a page, each of any size. */
const MAX_SUBSCHEMAS = 10_000;

/** A linked list of names, from the inside out, so that the paths of thousands of schemas share their beginnings. */
interface Names {
  readonly before: Names | undefined;
  readonly name: string;
}

/** The position of a schema in the input schema. */
interface Place {
  /** The keywords and names that lead there. */
  readonly keys: Names | undefined;
  readonly depth: number;
  /** The properties that lead there, or `undefined` where arguments cannot be found by their names alone. */
  readonly path: Names | "root" | undefined;
}

/**
 * The arguments that a tool wants mirrored into headers. Throws a `UsageError` if any annotation in the schema breaks
 * the rules: a server must then not offer the tool, and a client that speaks HTTP must hide it. The same goes for a schema
 * that is deeper or larger than validators accept.
 */
export function readParamHeaders(inputSchema: unknown): ParamHeader[] {
  const found: ParamHeader[] = [];
  const places = new Map<string, Place>();
  let subschemas = 0;
  visit(inputSchema, { keys: undefined, depth: 0, path: "root" });
  return found;

  function visit(schema: unknown, place: Place): void {
    if (++subschemas > MAX_SUBSCHEMAS) {
      throw new UsageError("INVALID_SCHEMA", `The input schema has more than ${MAX_SUBSCHEMAS} subschemas.`);
    }
    if (!isObject(schema)) return;
    const { keys, depth, path } = place;
    if (depth > MAX_DEPTH) {
      throw new UsageError("INVALID_SCHEMA", `The input schema is nested deeper than ${MAX_DEPTH} levels.`);
    }
    if (Object.hasOwn(schema, KEYWORD)) {
      const annotation = readAnnotation(schema, place);
      const key = annotation.header.toLowerCase();
      const other = places.get(key);
      if (other !== undefined) {
        fail(place, `"${annotation.header}" is also the header of ${nameOf(other)}`, "choose another name");
      }
      places.set(key, place);
      found.push(annotation);
    }
    for (const [member, keyword, name] of subschemasOf(schema)) {
      const here: Names = { before: keys, name: keyword };
      if (name === undefined) visit(member, { keys: here, depth: depth + 1, path: undefined });
      else visit(member, { keys: { before: here, name }, depth: depth + 2, path: stepInto(path, keyword, name) });
    }
  }
}

/** Only `properties` lead to an argument. Schemas under other keywords do not always apply, or have no fixed path. */
function stepInto(path: Place["path"], keyword: string, name: string): Place["path"] {
  if (path === undefined || keyword !== "properties") return undefined;
  return { before: path === "root" ? undefined : path, name };
}

function listNames(names: Names | undefined): string[] {
  const list: string[] = [];
  for (let here = names; here !== undefined; here = here.before) list.push(here.name);
  return list.toReversed();
}

function readAnnotation(schema: Record<string, unknown>, place: Place): ParamHeader {
  const header = schema[KEYWORD];
  if (typeof header !== "string" || !TOKEN.test(header)) {
    fail(place, `${quote(header)} is no HTTP field name`, 'give a name such as "Max-Age"');
  }
  if (place.path === undefined || place.path === "root") {
    fail(
      place,
      "this place is no single argument",
      "move it to a property reached from the root through `properties` only",
    );
  }
  return { header, path: listNames(place.path), type: readType(schema["type"], place) };
}

function readType(type: unknown, place: Place): ParamHeader["type"] {
  // The argument may be null: for null, no header is sent.
  const [only, ...others] = [type].flat().filter((each) => each !== "null");
  if (others.length === 0 && (only === "string" || only === "integer" || only === "boolean")) return only;
  return fail(place, `the type of the argument is ${quote(type)}`, 'it must be "string", "integer" or "boolean"');
}

function fail(place: Place, problem: string, advice: string): never {
  throw new UsageError("INVALID_DEFINITION", `"${KEYWORD}" in ${nameOf(place)} is not allowed: ${problem}; ${advice}.`);
}

function nameOf(place: Place): string {
  return ["inputSchema", ...listNames(place.keys)].join(".");
}
