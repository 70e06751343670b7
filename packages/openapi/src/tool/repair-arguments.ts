/**
 * Arguments that are JSON in a text. Models write `"[1,2]"` at times where a schema wants a list. Such a text is parsed once, before
 * the arguments are validated, and only where the schema takes an object or a list and no text.
 */
import { followPointer } from "@toolwire/json-schema/internal";
import { isObject } from "@toolwire/protocol/internal";
import type { ServerMiddleware } from "@toolwire/server";

/** Parses texts that are JSON. Returns the same object if there is nothing to parse. */
export type RepairArguments = (args: object) => object;

/** Groups of arguments are one level deep; deeper values are not looked at. */
const MAX_DEPTH = 2;

/** The kinds of values that a place takes instead of a text, and places below it. */
interface Place {
  readonly takesList: boolean;
  readonly takesObject: boolean;
  readonly below: ReadonlyMap<string, Place>;
}

/** Compiles a schema to a function that parses texts. `undefined` if the schema has no place for lists or objects. */
export function compileRepair(schema: unknown): RepairArguments | undefined {
  const places = findPlaces(schema, schema, 1);
  return places.size === 0 ? undefined : (args) => repair(args, places);
}

/** Middleware of a tool that parses texts. */
export function repairMiddleware(repairArguments: RepairArguments): ServerMiddleware {
  return ({ params }, next) => {
    const args: unknown = (params as { readonly arguments?: unknown } | undefined)?.arguments;
    const repaired = isObject(args) ? repairArguments(args) : args;
    return repaired === args ? next() : next({ ...params, arguments: repaired });
  };
}

function findPlaces(schema: unknown, root: unknown, depth: number): Map<string, Place> {
  const places = new Map<string, Place>();
  const properties = isObject(schema) ? schema["properties"] : undefined;
  if (!isObject(properties)) return places;
  for (const [name, property] of Object.entries(properties)) {
    const kinds = new Set<string>();
    collectTypes(property, root, kinds, 0);
    const takesText = kinds.size === 0 || kinds.has("string") || kinds.has("any");
    const takesList = kinds.has("array") && !takesText;
    const takesObject = kinds.has("object") && !takesText;
    const below =
      depth < MAX_DEPTH && takesObject
        ? findPlaces(resolve(property, root), root, depth + 1)
        : new Map<string, Place>();
    if (takesList || takesObject) places.set(name, { takesList, takesObject, below });
  }
  return places;
}

/** Collects the types that a schema allows. `any` if it does not say. */
function collectTypes(schema: unknown, root: unknown, kinds: Set<string>, depth: number): void {
  const found = resolve(schema, root);
  if (!isObject(found) || depth > 8) {
    kinds.add("any");
    return;
  }
  const { type, anyOf, oneOf, properties } = found;
  const branches: unknown[] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  if (type !== undefined) for (const each of [type as string].flat()) kinds.add(each);
  else if (branches.length > 0) for (const branch of branches) collectTypes(branch, root, kinds, depth + 1);
  else kinds.add(isObject(properties) ? "object" : "any");
}

function resolve(schema: unknown, root: unknown): unknown {
  const reference = isObject(schema) ? schema["$ref"] : undefined;
  return typeof reference === "string" && isObject(root) ? followPointer(root, reference) : schema;
}

function repair(args: object, places: ReadonlyMap<string, Place>): object {
  let repaired: { [name: string]: unknown } | undefined;
  for (const [name, place] of places) {
    if (!Object.hasOwn(args, name)) continue;
    const given = (args as { readonly [name: string]: unknown })[name];
    const value = repairValue(given, place);
    if (value === given) continue;
    repaired ??= { ...args };
    repaired[name] = value;
  }
  return repaired ?? args;
}

function repairValue(given: unknown, place: Place): unknown {
  if (typeof given === "string") return parseText(given, place);
  return isObject(given) && place.below.size > 0 ? repair(given, place.below) : given;
}

function parseText(text: string, { takesList, takesObject }: Place): unknown {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) && takesList) || (isObject(value) && takesObject) ? value : text;
  } catch {
    return text;
  }
}
