/**
 * Checks of the options and arguments that users of the client pass, on top of the checks that all packages share. Programs
 * in JavaScript have no compiler.
 */
import { isRevision, LOGGING_LEVELS, REVISIONS, UsageError } from "@toolwire/protocol";
import {
  describeValue,
  expectBytes,
  expectChoice,
  expectDuration,
  expectFunction,
  expectFunctions,
  expectLimit,
  expectOption,
  isDuration,
  isObject,
} from "@toolwire/protocol/internal";

/** Throws a `UsageError` if the value of an option does not fit. The value is not `undefined`. */
type Check = (name: string, value: never) => unknown;

/** Makes a check from a test, and the words that complete the sentence "must be …". */
function check(expected: string, accepts: (value: unknown) => boolean): Check {
  return (name, value) => expectOption(name, value, accepts(value), expected);
}

const HEADERS = "an object, or a function that returns one";

const expectCount: Check = (name, value) => expectLimit(name, value, 0, 0);
const expectRecord: Check = check("an object", isRecord);
const expectString: Check = check("a string", isString);
const expectValuesByName: Check = check("an object with values by name", isRecord);

/** The checks of options of `connect()`, of transports and of calls, and of arguments, by name. */
const CHECKS: { readonly [name: string]: Check } = {
  _meta: expectValuesByName,
  acknowledgeTimeout: expectDuration,
  argument: expectRecord,
  auth: check(
    "an object of `@toolwire/client/auth`, or one with the methods `prepare` and `challenged`",
    (value) => isObject(value) && isFunction(value["prepare"]) && isFunction(value["challenged"]),
  ),
  arguments: check("an object with the arguments by name", isRecord),
  capabilities: expectRecord,
  connect: check("an object, or a function that opens connections", (value) => isRecord(value) || isFunction(value)),
  connectTimeout: expectDuration,
  cursor: expectString,
  elicitation: check("a function, or { form, url } with a function for each", isHandler),
  era: (name, value) => expectChoice(name, ["modern", "legacy"], value),
  extensions: check("an array of extensions", (value) => Array.isArray(value)),
  fetch: expectFunction,
  headers: check(HEADERS, (value) => areHeaders(value) || isFunction(value)),
  http: expectRecord,
  info: check(
    "{ name, version }, both strings",
    (value) => isObject(value) && isString(value["name"]) && isString(value["version"]),
  ),
  logLevel: check(`one of ${LOGGING_LEVELS.join(", ")}`, (value) =>
    (LOGGING_LEVELS as readonly unknown[]).includes(value),
  ),
  maxMessageBytes: (name, value) => expectBytes(name, value, Infinity),
  maxRounds: expectCount,
  maxTimeout: expectDuration,
  method: expectString,
  middleware: expectFunctions,
  observe: check(
    "an object with functions, such as `clientTelemetry()` makes",
    (value) => isObject(value) && Object.values(value).every((each) => each === undefined || isFunction(each)),
  ),
  onDiagnostic: expectFunction,
  onLog: expectFunction,
  onNotification: expectFunction,
  onProgress: expectFunction,
  options: check("an object", isObject),
  params: expectValuesByName,
  probeTimeout: expectDuration,
  reconnect: check(
    "false, or { attempts, delay, maxDelay }, each 0 or more",
    (value) =>
      value === false ||
      (isObject(value) && Object.values(value).every((each) => each === undefined || isDuration(each))),
  ),
  ref: expectRecord,
  resultTypes: check("an array of strings", (value) => Array.isArray(value) && value.every(isString)),
  revision: check(`one of ${REVISIONS.join(", ")}`, isRevision),
  roots: check(
    "an array of { uri, name }, or a function that returns one",
    (value) => Array.isArray(value) || isFunction(value),
  ),
  sampling: check("a function, or { createMessage } with a function", isHandler),
  signal: check(
    "an AbortSignal, such as the `signal` of an AbortController",
    (value) => isObject(value) && "aborted" in value && isFunction(value["addEventListener"]),
  ),
  timeout: expectDuration,
  validate: (name, value) => expectChoice<boolean | "always">(name, [true, false, "always"], value),
  validator: check("{ compile } with a function", (value) => isObject(value) && isFunction(value["compile"])),
  websocket: expectRecord,
};

/** Throws a `UsageError` for the first option that is not what its type says. */
export function checkOptions(given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && Object.hasOwn(CHECKS, name)) CHECKS[name]!(name, value as never);
  }
}

/** Returns the error for the first option that is not what its type says. */
export function findMistake(given: object): Error | undefined {
  try {
    checkOptions(given);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** The error for a call with the wrong arguments. `expected` completes the sentence "takes …". */
export function invalidCall(name: string, expected: string, given: unknown): UsageError {
  return new UsageError("INVALID_ARGUMENT", `\`${name}\` takes ${expected}; got ${describeValue(given)}.`);
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

/** Whether JSON writes it as an object: a `Map` or a promise would be written as an empty one. */
export function isRecord(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** Returns the headers that a function returned, or `undefined` if it returned none. */
export function expectHeaders<T>(given: T): T {
  return expectOption("headers", given, given === undefined || areHeaders(given), HEADERS);
}

/** Whether a value can be headers. An array must hold pairs: any other array may hold a token. */
function areHeaders(given: unknown): boolean {
  return Array.isArray(given) ? given.every(Array.isArray) : typeof given === "object" && given !== null;
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
