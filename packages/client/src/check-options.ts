import { isRevision, LOGGING_LEVELS, REVISIONS, UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { areHeaders } from "./transports/http/headers.ts";

/** What can be given wrongly: options of `connect()`, of calls and of middleware, and arguments of methods. */
export type Mistaken =
  | "info"
  | "capabilities"
  | "arguments"
  | "_meta"
  | "params"
  | "ref"
  | "argument"
  | "method"
  | "cursor"
  | "filter"
  | "options"
  | "resultTypes"
  | "validate"
  | "validator"
  | "logLevel"
  | "revision"
  | "era"
  | "signal"
  | "timeout"
  | "maxTimeout"
  | "connectTimeout"
  | "probeTimeout"
  | "maxRounds"
  | "maxMessageBytes"
  | "reconnect"
  | "attempts"
  | "delay"
  | "methods"
  | "tools"
  | "retryOn"
  | "middleware"
  | "elicitation"
  | "sampling"
  | "memory"
  | "cache"
  | "store"
  | "roots"
  | "headers"
  | "fetch"
  | "onProgress"
  | "onLog"
  | "onNotification"
  | "onDiagnostic"
  | "approval"
  | "auditLog"
  | "timeLimit"
  | "callTool"
  | "getPrompt"
  | "readResource"
  | "subscribe"
  | "command"
  | "misplaced"
  | "capability"
  | "ping"
  | "rootsChanged";

const TIME = "must be a number of milliseconds, or Infinity";
const COUNT = "must be a number, 0 or more";
const FUNCTION = "must be a function";

const BY_NAME = "must be an object with values by name";
const OBJECT = "must be an object";
const STRING = "must be a string";

/** What each of them should have been; or, with a place for its name, what is not to be had here. */
const WORDS: { readonly [Name in Mistaken]: string } = {
  info: "must be { name, version }, both strings",
  capabilities: OBJECT,
  arguments: "must be an object with the arguments by name",
  _meta: BY_NAME,
  params: BY_NAME,
  ref: OBJECT,
  argument: OBJECT,
  method: STRING,
  cursor: STRING,
  filter: "must be { tools, prompts, resources, uris }",
  options: OBJECT,
  resultTypes: "must be an array of strings",
  validate: 'must be true, false or "always"',
  validator: "must be { compile } with a function",
  logLevel: `must be one of ${LOGGING_LEVELS.join(", ")}`,
  revision: `must be one of ${REVISIONS.join(", ")}`,
  era: 'must be "modern" or "legacy"',
  signal: "must be an AbortSignal, such as the `signal` of an AbortController",
  timeout: TIME,
  maxTimeout: TIME,
  connectTimeout: TIME,
  probeTimeout: TIME,
  maxRounds: COUNT,
  maxMessageBytes: "must be a number of bytes, 1 or more",
  reconnect: "must be false, or { attempts, delay, maxDelay }, each 0 or more",
  attempts: COUNT,
  delay: TIME,
  methods: "must be an array of names",
  tools: "must be an array of names, or a function",
  retryOn: FUNCTION,
  middleware: "must be an array of functions",
  elicitation: "must be a function, or { form, url } with a function for each",
  sampling: "must be a function, or { createMessage } with a function",
  memory: "must be { get, set, delete }, each a function, or false",
  cache: "must be { principal, store }, or false",
  store: "must be { get, set, drop }, each a function",
  roots: "must be an array of { uri, name }, or a function that returns one",
  headers: "must be an object, or a function that returns one",
  fetch: FUNCTION,
  onProgress: FUNCTION,
  onLog: FUNCTION,
  onNotification: FUNCTION,
  onDiagnostic: FUNCTION,
  approval: "takes a function that decides: approval(decide)",
  auditLog: "takes a function that writes entries first: auditLog(write, options)",
  timeLimit: "takes { timeout, tools }",
  callTool: "takes the name of a tool first: callTool(name, args, options)",
  getPrompt: "takes the name of a prompt first: getPrompt(name, args, options)",
  readResource: "takes a URI, a string, first: readResource(uri, options)",
  subscribe: "takes a function that hears of changes second: subscribe(filter, listener)",
  command: "Only Node can start programs such as %: connect by URL.",
  misplaced: "The option `%` is of no use to this target. A command has its `env`, a transport options of its own.",
  capability: "The server has not declared the capability `%`. If it serves this all the same, use `request()`.",
  ping: "There is no ping in revision %: use `discover()`.",
  rootsChanged: "This client has no %: give `roots` to `connect()`.",
};

/** The error that says what was expected, and what came instead. */
export function explain(name: Mistaken, value: unknown): UsageError {
  const words = WORDS[name];
  if (words.includes("%")) {
    const code = name === "misplaced" ? "INVALID_ARGUMENT" : "UNSUPPORTED";
    return new UsageError(code, words.replace("%", String(value)));
  }
  return new UsageError("INVALID_ARGUMENT", `\`${name}\` ${words}; got ${describe(name, value)}.`);
}

/** Objects are not shown: what is in them may be long, or secret, as a token is that was meant for a header. */
function describe(name: Mistaken, value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return name === "headers" ? "a string" : JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return String(value as number | boolean);
  // What is none to JSON, such as a promise that nobody has waited for, is called by its kind.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === "Object" ? "an object" : `an object (${kind})`;
}

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
