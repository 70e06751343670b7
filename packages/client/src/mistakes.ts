import { LOGGING_LEVELS, REVISIONS, UsageError } from "@toolwire/protocol";

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
