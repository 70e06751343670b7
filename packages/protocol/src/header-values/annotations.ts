/** `x-mcp-header` in a tool's input schema (2026-07-28, server/tools): which arguments also travel in headers. */

import { UsageError } from "../errors.ts";
import { isObject } from "../model/json.ts";
import { subschemasOf } from "../schema/subschemas-of.ts";
import { quote } from "./quote.ts";

/** An argument that is mirrored into a header. */
export interface HeaderAnnotation {
  /** What follows `Mcp-Param-` in the name of the header, as it was written. */
  readonly header: string;
  /** The property names that lead to the argument, from the outside in. */
  readonly path: readonly string[];
  /** The type of the argument. */
  readonly type: "string" | "integer" | "boolean";
}

const KEYWORD = "x-mcp-header";

/** A field name (RFC 9110, section 5.1). */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;

/** Guards the stack; beyond what any validator here accepts. */
const MAX_DEPTH = 256;

/**
 * The arguments that a tool wants mirrored into headers. Throws a `UsageError` if any annotation in the schema breaks
 * the rules: a server must then not offer the tool, and a client that speaks HTTP must hide it.
 */
export function readHeaderAnnotations(inputSchema: unknown): HeaderAnnotation[] {
  const found: HeaderAnnotation[] = [];
  const places = new Map<string, readonly string[]>();
  visit(inputSchema, [], []);
  return found;

  /** `path` is undefined where arguments cannot be found by property names alone. */
  function visit(schema: unknown, place: readonly string[], path: readonly string[] | undefined): void {
    if (!isObject(schema)) return;
    if (place.length > MAX_DEPTH) {
      throw new UsageError("INVALID_SCHEMA", `The input schema is nested deeper than ${MAX_DEPTH} levels.`);
    }
    if (Object.hasOwn(schema, KEYWORD)) {
      const annotation = readAnnotation(schema, place, path);
      const key = annotation.header.toLowerCase();
      const other = places.get(key);
      if (other !== undefined) {
        fail(place, `"${annotation.header}" is also the header of ${nameOf(other)}`, "choose another name");
      }
      places.set(key, place);
      found.push(annotation);
    }
    for (const [member, keyword, name] of subschemasOf(schema)) {
      const here = [...place, keyword];
      if (name === undefined) visit(member, here, undefined);
      // Any other schema does not always apply, or not to a property of a known path.
      else visit(member, [...here, name], keyword === "properties" ? path && [...path, name] : undefined);
    }
  }
}

function readAnnotation(
  schema: Record<string, unknown>,
  place: readonly string[],
  path: readonly string[] | undefined,
): HeaderAnnotation {
  const header = schema[KEYWORD];
  if (typeof header !== "string" || !TOKEN.test(header)) {
    fail(place, `${quote(header)} is no HTTP field name`, 'give a name such as "Max-Age"');
  }
  if (path === undefined || path.length === 0) {
    fail(
      place,
      "this place is no single argument",
      "move it to a property reached from the root through `properties` only",
    );
  }
  return { header, path, type: readType(schema["type"], place) };
}

function readType(type: unknown, place: readonly string[]): HeaderAnnotation["type"] {
  // An argument that may be null is fine: for null, no header is sent.
  const [only, ...others] = [type].flat().filter((each) => each !== "null");
  if (others.length === 0 && (only === "string" || only === "integer" || only === "boolean")) return only;
  return fail(place, `the type of the argument is ${quote(type)}`, 'it must be "string", "integer" or "boolean"');
}

function fail(place: readonly string[], problem: string, advice: string): never {
  throw new UsageError("INVALID_DEFINITION", `"${KEYWORD}" in ${nameOf(place)} is not allowed: ${problem}; ${advice}.`);
}

function nameOf(place: readonly string[]): string {
  return ["inputSchema", ...place].join(".");
}
