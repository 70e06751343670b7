import { isObject } from "@toolwire/protocol/internal";
import { isRevision, LOGGING_LEVELS } from "@toolwire/protocol";
import { areHeaders } from "./http/given-headers.ts";
import type { Mistaken } from "./mistakes.ts";

/** Whether what `connect()`, a transport or a call was given is what its types say. */
const RULES: { readonly [Name in Mistaken]?: (value: unknown) => boolean } = {
  info: (value) => isObject(value) && isString(value["name"]) && isString(value["version"]),
  capabilities: isRecord,
  _meta: isRecord,
  params: isRecord,
  ref: isRecord,
  argument: isRecord,
  method: isString,
  cursor: isString,
  options: isObject,
  revision: isRevision,
  era: (value) => value === "modern" || value === "legacy",
  validate: (value) => value === "always" || typeof value === "boolean",
  validator: (value) => isObject(value) && isFunction(value["compile"]),
  logLevel: (value) => (LOGGING_LEVELS as readonly unknown[]).includes(value),
  signal: (value) => isObject(value) && "aborted" in value && isFunction(value["addEventListener"]),
  timeout: isLimit,
  maxTimeout: isLimit,
  connectTimeout: isLimit,
  probeTimeout: isLimit,
  maxRounds: isLimit,
  maxMessageBytes: (value) => typeof value === "number" && value >= 1,
  reconnect: (value) => value === false || (isObject(value) && Object.values(value).every(isLimit)),
  middleware: (value) => Array.isArray(value) && value.every(isFunction),
  resultTypes: (value) => Array.isArray(value) && value.every(isString),
  elicitation: isHandler,
  sampling: isHandler,
  roots: (value) => Array.isArray(value) || isFunction(value),
  headers: (value) => areHeaders(value) || isFunction(value),
  fetch: isFunction,
  onProgress: isFunction,
  onLog: isFunction,
  onNotification: isFunction,
  onDiagnostic: isFunction,
};

type Given = { readonly [Name in Mistaken]?: unknown };

/** Rejects at the first thing that is not what its type says: whoever writes JavaScript has no compiler to find it. */
export async function checkGiven(given: object): Promise<void> {
  await refusalOf(given);
}

/** The same, but nothing if all is well, so that nobody has to wait. */
export function refusalOf(given: object): Promise<never> | undefined {
  for (const [name, value] of Object.entries(given) as [Mistaken, unknown][]) {
    if (value !== undefined && RULES[name]?.(value) === false) return complain(name, value);
  }
  return undefined;
}

/**
 * Rejects if one of these is given where it means nothing. To ignore a limit, or credentials, without a word would be no
 * favour.
 */
export async function refuse(given: Given, ...names: readonly Mistaken[]): Promise<void> {
  for (const name of names) if (given[name] !== undefined) await complain("misplaced", name);
}

/** Rejects with an error that teaches. Its words are loaded by those alone who need them. */
export async function complain(name: Mistaken, value: unknown): Promise<never> {
  const { explain } = await import("./parts/later.ts");
  throw explain(name, value);
}

/** Whether it is an object that JSON can write as one: a `Map` or a promise would be written as an empty one. */
export function isRecord(value: unknown): boolean {
  return {}.toString.call(value) === "[object Object]";
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Whether it is a limit, or left out. One that compares false to everything, such as `NaN`, would be none. */
export function isLimit(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value >= 0);
}

/** A function, or functions by name. What is beside them is the object's own business, which may be of any class. */
function isHandler(value: unknown): boolean {
  if (!isObject(value)) return isFunction(value);
  return ["form", "url", "createMessage"].every((name) => value[name] === undefined || isFunction(value[name]));
}
