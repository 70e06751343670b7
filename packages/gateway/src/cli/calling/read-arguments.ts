import { isObject } from "@toolwire/protocol/internal";
import { suggest } from "../../admin/http/suggest.ts";
import { CommandError } from "../command.ts";

/** A JSON Schema, or a part of one. */
interface Schema {
  readonly [keyword: string]: unknown;
}

/** Reads the arguments of a tool as one JSON object. */
export function readJsonArguments(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(
      `ARGUMENTS must be JSON, or NAME=VALUE as in city=Oslo days:=3: ${(error as Error).message}`,
    );
  }
  if (isObject(value)) return value;
  throw new CommandError(`ARGUMENTS must be a JSON object such as '{"city":"London"}', or NAME=VALUE.`);
}

/** Whether an argument is `NAME=VALUE` or `NAME:=JSON`. */
export function isPair(text: string): boolean {
  return /^[^\s{["'=:][^=]*=/.test(text);
}

/**
 * Reads the arguments of a tool from `name=value`, with types by the tool's schema, `name:=json`, and `outer.inner=value`. A name
 * that is there several times is a list.
 */
export function readPairs(pairs: readonly string[], schema: Schema): object {
  const root: { [name: string]: unknown } = {};
  for (const pair of pairs) {
    if (!isPair(pair)) throw new CommandError(`${JSON.stringify(pair)} is neither NAME=VALUE nor NAME:=JSON.`);
    const end = pair.indexOf("=");
    const isJson = pair[end - 1] === ":";
    const name = pair.slice(0, isJson ? end - 1 : end);
    const value = pair.slice(end + 1);
    const path = pathOf(name, schema);
    const place = findSchema(path, schema, name);
    setIn(root, path, isJson ? readJson(name, value) : readValue(name, value, place), isArray(place) && !isJson);
  }
  return root;
}

/** A property may have dots in its name. */
function pathOf(name: string, schema: Schema): readonly string[] {
  return Object.hasOwn(propertiesOf(schema), name) ? [name] : name.split(".");
}

function propertiesOf(schema: unknown): Schema {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? (properties as Schema) : {};
}

/** The schema of an argument; `undefined` if nothing is said about it. */
function findSchema(path: readonly string[], schema: Schema, name: string): unknown {
  let place: unknown = schema;
  for (const part of path) {
    const properties = propertiesOf(place);
    if (!Object.hasOwn(properties, part)) {
      if (isObject(place) && place["additionalProperties"] === false) {
        throw new CommandError(
          `The tool has no argument ${JSON.stringify(name)}.${suggest(part, Object.keys(properties))}`,
        );
      }
      return undefined;
    }
    place = properties[part];
  }
  return place;
}

function typesOf(schema: unknown): readonly unknown[] {
  const type = isObject(schema) ? schema["type"] : undefined;
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

function isArray(schema: unknown): boolean {
  return typesOf(schema).includes("array");
}

/** Reads a text as what the schema says. Without a word about it, JSON is JSON, and everything else is text. */
function readValue(name: string, text: string, schema: unknown): unknown {
  const types = typesOf(schema);
  if (types.includes("string")) return text;
  if (types.includes("array")) return readValue(name, text, isObject(schema) ? schema["items"] : undefined);
  if ((types.includes("number") || types.includes("integer")) && /^[+-]?(?:\d|\.\d)/.test(text)) {
    const number = Number(text);
    if (Number.isFinite(number) && (types.includes("number") || Number.isInteger(number))) return number;
  }
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.includes("null") && text === "null") return null;
  if (types.includes("object")) return readJson(name, text);
  if (types.length > 0) {
    throw new CommandError(`${name} must be ${types.map(String).join(" or ")}, not ${JSON.stringify(text)}.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandError(`${name}:= must be followed by JSON: ${(error as Error).message}`);
  }
}

function setIn(root: { [name: string]: unknown }, path: readonly string[], value: unknown, isList: boolean): void {
  let place = root;
  for (const part of path.slice(0, -1)) {
    const next = Object.hasOwn(place, part) ? place[part] : undefined;
    if (next !== undefined && !isObject(next)) throw new CommandError(`${path.join(".")}: ${part} is no object.`);
    const object = next ?? {};
    define(place, part, object);
    place = object as { [name: string]: unknown };
  }
  const last = path.at(-1) ?? "";
  const before = Object.hasOwn(place, last) ? place[last] : undefined;
  if (isList) define(place, last, [...(Array.isArray(before) ? (before as unknown[]) : []), value]);
  else if (before === undefined) define(place, last, value);
  else throw new CommandError(`${path.join(".")} is there twice, and is no list.`);
}

/** Also for names such as `__proto__`, which an assignment would not make a member of. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
