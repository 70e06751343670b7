import { type AnySchema, UsageError } from "@toolwire/protocol";
import {
  describeKind,
  expectFunction,
  expectFunctions,
  expectKnownNames,
  expectOption,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import { describeSchema } from "@toolwire/json-schema";
import { followPointer } from "@toolwire/json-schema/internal";
import type { ServerMiddleware, ToolDefinition, ToolInput } from "@toolwire/server";
import { defaultCaller } from "../caller/default-caller.ts";
import type { HttpCaller } from "../caller/http-caller.ts";
import { FIELDS_ARGUMENT } from "../response/fields.ts";
import { withFieldsArgument } from "./fields-input.ts";
import { compileOperation, type HttpOperation } from "./operation.ts";
import { annotationsOf, operationTool } from "./operation-tool.ts";
import type { HttpToolOptions } from "./options.ts";
import { compileRepair, repairMiddleware } from "./repair-arguments.ts";
import { requestOf } from "./request-of.ts";

const HTTP_TOOL_OPTIONS: OptionNames<HttpToolOptions<undefined>> = {
  description: true,
  title: true,
  icons: true,
  method: true,
  url: true,
  input: true,
  params: true,
  body: true,
  headers: true,
  auth: true,
  response: true,
  timeout: true,
  retries: true,
  http: true,
  annotations: true,
  middleware: true,
  _meta: true,
};

/** Names that other tools of this kind use. */
const HINTS = {
  run: "httpTool() has no `run`, because it calls an API: use tool() for functions of your own, or `response.transform`",
  inputSchema: "`inputSchema` is called `input` in httpTool()",
  parameters: "`parameters` is called `params` in httpTool(), and the schema of the arguments is `input`",
  query: "httpTool() has no `query`: write it into `url`, or name the place of an argument in `params`",
};

/**
 * Defines a tool that calls an HTTP API. The request is compiled once; each call fills in its arguments, adds the credential and
 * returns the text of the response. It is an ordinary tool: pass it to `createServer({ tools })`.
 *
 * @example
 * ```ts
 * const get_weather = httpTool({
 *   description: "Current weather of a city",
 *   method: "GET",
 *   url: "https://api.example.com/weather/{city}",
 *   input: z.object({ city: z.string(), units: z.enum(["metric", "imperial"]).optional() }),
 *   auth: bearer(process.env.WEATHER_TOKEN ?? ""),
 * });
 * ```
 *
 * @throws UsageError if the options cannot work
 */
export function httpTool<const I extends AnySchema | undefined = undefined>(
  options: HttpToolOptions<I>,
): ToolDefinition<ToolInput<I>> {
  const { input, listed, operation, caller } = compileHttpTool(options);
  const { title, description, icons, _meta, method, annotations } = options;
  const repair = compileRepair(listed);
  const middleware: readonly ServerMiddleware[] = [
    ...expectFunctions("middleware", options.middleware ?? []),
    ...(repair === undefined ? [] : [repairMiddleware(repair)]),
  ];
  const definition = operationTool({
    operation,
    caller,
    listing: { title, description, icons, _meta, input, annotations: { ...annotationsOf(method), ...annotations } },
    middleware: middleware.length === 0 ? undefined : middleware,
    transform: options.response?.transform,
    // The URL may have a secret in it, so that nothing is found by its words.
    hints: { method },
  });
  return definition as ToolDefinition<ToolInput<I>>;
}

/** The parts of a hand-written HTTP tool, for programs that run its steps themselves, such as a gateway. */
export interface CompiledHttpTool {
  /** The schema that validates arguments, with `_fields` if the response has them. */
  readonly input: AnySchema | undefined;
  /** The same schema as JSON Schema. */
  readonly listed: unknown;
  readonly operation: HttpOperation;
  readonly caller: HttpCaller;
}

/**
 * Checks the options of a tool, and compiles its request.
 *
 * @throws UsageError if the options cannot work
 */
export function compileHttpTool(options: HttpToolOptions<AnySchema | undefined>): CompiledHttpTool {
  expectOption("options of httpTool", options, isObject(options), "an object");
  expectKnownNames("httpTool()", options, HTTP_TOOL_OPTIONS, HINTS);
  const { description, auth, http, timeout, retries } = options;
  expectOption("description", description, typeof description === "string" && description !== "", "text for the model");
  expectOption("http", http, http === undefined || hasMethod(http, "send"), "made by createHttpCaller()");
  if (auth !== undefined && !hasMethod(auth, "apply")) {
    // Shows the kind alone: somebody may have passed the credential itself.
    throw new UsageError("INVALID_ARGUMENT", `\`auth\` must be ${AUTH}; got ${describeKind(auth)}.`);
  }
  const { transform, ...response } = expectOption(
    "response",
    options.response ?? {},
    isObject(options.response ?? {}),
    "an object",
  );
  if (transform !== undefined) expectFunction("response.transform", transform);
  const hasFields = response.fields === true;
  const input = hasFields ? withFieldsArgument(options.input ?? NO_ARGUMENTS) : options.input;
  const listed: unknown = input === undefined ? undefined : describeSchema(input, "input").jsonSchema;
  const names = namesOf(listed).filter((name) => !(hasFields && name === FIELDS_ARGUMENT));
  const request = requestOf(options, names);
  const operation = compileOperation({ request, auth, response, timeout, retries });
  return { input, listed, operation, caller: http ?? defaultCaller };
}

const AUTH = "made by bearer(), apiKey(), basic(), headers() or clientCredentials()";
const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false };

function hasMethod(value: object, name: string): boolean {
  return isObject(value) && typeof (value as { readonly [name: string]: unknown })[name] === "function";
}

/** The arguments that a schema lists. Unions list those of every branch. */
function namesOf(schema: unknown, root: unknown = schema, depth = 0): string[] {
  if (!isObject(schema)) return [];
  const { properties, anyOf, oneOf, allOf, $ref } = schema;
  const own = isObject(properties) ? Object.keys(properties) : [];
  const branches = [anyOf, oneOf, allOf].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  if (depth > 8) throw new UsageError("INVALID_SCHEMA", "`input` is nested too deeply to find its arguments.");
  const target = typeof $ref === "string" && isObject(root) ? namesOf(followPointer(root, $ref), root, depth + 1) : [];
  return [...new Set([...own, ...target, ...branches.flatMap((branch) => namesOf(branch, root, depth + 1))])];
}
