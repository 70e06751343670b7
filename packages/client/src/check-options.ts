import { isRevision, LOGGING_LEVELS, REVISIONS, UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";

/** A requirement for a value: in words, and as a test. */
interface Rule {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const ARRAY_OF_STRINGS: Rule = {
  expected: "must be an array of strings",
  accepts: (value) => Array.isArray(value) && value.every(isString),
};
const COUNT: Rule = { expected: "must be a number, 0 or more", accepts: isLimit };
const FUNCTION: Rule = { expected: "must be a function", accepts: isFunction };
const OBJECT: Rule = { expected: "must be an object", accepts: isRecord };
const STRING: Rule = { expected: "must be a string", accepts: isString };
const TIME: Rule = { expected: "must be a number of milliseconds, or Infinity", accepts: isLimit };
const VALUES_BY_NAME: Rule = { expected: "must be an object with values by name", accepts: isRecord };

/** The rules for options of `connect()`, of transports and of calls, and for arguments that have a name. */
const RULES: { readonly [name: string]: Rule } = {
  _meta: VALUES_BY_NAME,
  acknowledgeTimeout: TIME,
  argument: OBJECT,
  arguments: { expected: "must be an object with the arguments by name", accepts: isRecord },
  capabilities: OBJECT,
  connectTimeout: TIME,
  cursor: STRING,
  elicitation: { expected: "must be a function, or { form, url } with a function for each", accepts: isHandler },
  era: { expected: 'must be "modern" or "legacy"', accepts: (value) => value === "modern" || value === "legacy" },
  fetch: FUNCTION,
  headers: {
    expected: "must be an object, or a function that returns one",
    accepts: (value) => areHeaders(value) || isFunction(value),
  },
  http: OBJECT,
  info: {
    expected: "must be { name, version }, both strings",
    accepts: (value) => isObject(value) && isString(value["name"]) && isString(value["version"]),
  },
  logLevel: {
    expected: `must be one of ${LOGGING_LEVELS.join(", ")}`,
    accepts: (value) => (LOGGING_LEVELS as readonly unknown[]).includes(value),
  },
  maxMessageBytes: {
    expected: "must be a number of bytes, 1 or more",
    accepts: (value) => typeof value === "number" && value >= 1,
  },
  maxRounds: COUNT,
  maxTimeout: TIME,
  method: STRING,
  middleware: {
    expected: "must be an array of functions",
    accepts: (value) => Array.isArray(value) && value.every(isFunction),
  },
  onDiagnostic: FUNCTION,
  onLog: FUNCTION,
  onNotification: FUNCTION,
  onProgress: FUNCTION,
  options: { expected: "must be an object", accepts: isObject },
  params: VALUES_BY_NAME,
  probeTimeout: TIME,
  reconnect: {
    expected: "must be false, or { attempts, delay, maxDelay }, each 0 or more",
    accepts: (value) => value === false || (isObject(value) && Object.values(value).every(isLimit)),
  },
  ref: OBJECT,
  resultTypes: ARRAY_OF_STRINGS,
  revision: { expected: `must be one of ${REVISIONS.join(", ")}`, accepts: isRevision },
  roots: {
    expected: "must be an array of { uri, name }, or a function that returns one",
    accepts: (value) => Array.isArray(value) || isFunction(value),
  },
  sampling: { expected: "must be a function, or { createMessage } with a function", accepts: isHandler },
  signal: {
    expected: "must be an AbortSignal, such as the `signal` of an AbortController",
    accepts: (value) => isObject(value) && "aborted" in value && isFunction(value["addEventListener"]),
  },
  timeout: TIME,
  validate: {
    expected: 'must be true, false or "always"',
    accepts: (value) => value === "always" || typeof value === "boolean",
  },
  validator: {
    expected: "must be { compile } with a function",
    accepts: (value) => isObject(value) && isFunction(value["compile"]),
  },
  websocket: OBJECT,
};

/** Finds the first option that is not what its type says: programs in JavaScript have no compiler. */
export function findMistake(given: object): UsageError | undefined {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (value === undefined || !Object.hasOwn(RULES, name)) continue;
    const { expected, accepts } = RULES[name]!;
    if (!accepts(value)) return invalidArgument(name, expected, value);
  }
  return undefined;
}

/** Throws a `UsageError` for the first option that is not what its type says. */
export function checkOptions(given: object): void {
  const mistake = findMistake(given);
  if (mistake !== undefined) throw mistake;
}

/** The same for options of a transport, which reports them by the promise of `open()`. */
export async function checkGiven(given: object): Promise<void> {
  checkOptions(given);
}

/** The error for an argument: says what was expected, and what came instead. */
export function invalidArgument(name: string, expected: string, value: unknown): UsageError {
  return new UsageError("INVALID_ARGUMENT", `\`${name}\` ${expected}; got ${describe(name, value)}.`);
}

/** Throws if one of these options is given where it has no effect. Ignoring a limit or credentials silently would do harm. */
export function refuseOptions(given: object, ...names: readonly string[]): void {
  for (const name of names) {
    if ((given as { readonly [option: string]: unknown })[name] === undefined) continue;
    const message = `The option \`${name}\` is of no use to this target. A command has its options beside it, a transport options of its own.`;
    throw new UsageError("INVALID_ARGUMENT", message);
  }
}

/** The groups in which options of transports are given to `connect()`. */
const GROUPS: { readonly [option: string]: readonly string[] } = {
  connections: ["http"],
  fetch: ["http"],
  headers: ["http", "websocket"],
  maxMessageBytes: ["http", "websocket"],
};

/** Throws if an option of a transport is given outside of its group, where it would be ignored. */
export function refuseUngrouped(given: object): void {
  for (const [name, groups] of Object.entries(GROUPS)) {
    if (!(name in given) || (given as { readonly [option: string]: unknown })[name] === undefined) continue;
    const places = groups.map((group) => `{ ${group}: { ${name} } }`).join(" or ");
    throw new UsageError("INVALID_ARGUMENT", `\`${name}\` is an option of a transport: pass it as ${places}.`);
  }
}

/** Describes a value. Objects are not shown: they may be long or secret, as a token is that was meant for a header. */
function describe(name: string, value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return name === "headers" ? "a string" : JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return String(value as number | boolean);
  // Objects that JSON does not write as such, as a promise that was not awaited, are called by their kind.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === "Object" ? "an object" : `an object (${kind})`;
}

/** Whether JSON writes it as an object: a `Map` or a promise would be written as an empty one. */
export function isRecord(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** Whether it is a limit, or left out. `NaN`, which compares false to everything, would be no limit at all. */
export function isLimit(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value >= 0);
}

/** Whether a value can be headers. An array must hold pairs: any other array may hold a token. */
export function areHeaders(given: unknown): boolean {
  if (Array.isArray(given)) return given.every(Array.isArray);
  return given === undefined || (typeof given === "object" && given !== null);
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Whether it is a function, or an object with functions by name. The object may have other members, and any class. */
function isHandler(value: unknown): boolean {
  if (!isObject(value)) return isFunction(value);
  return ["form", "url", "createMessage"].every((name) => value[name] === undefined || isFunction(value[name]));
}
