import { describeIssues, describeSchema, type SchemaDescription } from "@toolwire/json-schema";
import { isObject } from "@toolwire/protocol/internal";
import type { CallToolResult, Tool } from "@toolwire/protocol";
import type { Context } from "../define/context.ts";
import type { RequestCall, ServerMiddleware, ServerNext } from "../define/middleware.ts";
import { PassedResult, type ReplyParts, type ToolContent, ToolReply } from "../define/reply.ts";
import type { ToolDefinition } from "../define/tool.ts";
import { ToolError } from "../errors.ts";
import { searchHintsOf } from "./search-hints.ts";
import type { FoundTool, ToolProvider } from "./tool-provider.ts";

/** A tool that takes no arguments. */
const NO_ARGUMENTS = { type: "object", additionalProperties: false };

/** Tools by their definitions. They are validated, and run inside of their own middleware, as if they were called directly. */
export class DefinedTools implements ToolProvider {
  readonly middleware: ServerMiddleware = (call, next) => this.#runMiddleware(call, next);
  readonly #definitions: ReadonlyMap<string, ToolDefinition>;
  readonly #listed: readonly FoundTool[];
  readonly #inputs = new Map<string, SchemaDescription>();
  readonly #outputs = new Map<string, SchemaDescription>();

  constructor(tools: { readonly [name: string]: ToolDefinition }) {
    this.#definitions = new Map(Object.entries(tools));
    for (const [name, { input, output }] of this.#definitions) {
      this.#inputs.set(name, describeSchema(input ?? NO_ARGUMENTS, "input"));
      if (output !== undefined) this.#outputs.set(name, describeSchema(output, "output"));
    }
    this.#listed = [...this.#definitions].map(([name, definition]) => {
      const { title, description, annotations } = definition;
      const inputSchema = this.#inputs.get(name)!.jsonSchema;
      return { name, title, description, annotations, inputSchema, hints: searchHintsOf(definition) };
    });
  }

  list(): readonly FoundTool[] {
    return this.#listed;
  }

  async call(name: string, args: object, ctx: Context): Promise<ToolContent> {
    const definition = this.#definitions.get(name)!;
    const checked = await this.#inputs.get(name)!.validate(args);
    if (!checked.ok) throw new ToolError(`Invalid arguments for tool "${name}":\n${describeIssues(checked.issues)}`);
    const returned = await definition.run(checked.value as never, ctx);
    const output = this.#outputs.get(name);
    return output === undefined ? (returned as ToolContent) : writeStructured(name, returned, output);
  }

  /** Runs the middleware of the tool that `call_tool` names. It sees a call of that tool. */
  #runMiddleware(call: RequestCall, next: ServerNext): Promise<object> {
    const given = argumentsOf(call.params);
    const name = typeof given?.["name"] === "string" ? given["name"] : "";
    const { scopes, middleware = [] } = this.#definitions.get(name) ?? {};
    if (scopes !== undefined) call.context.requireScopes(...scopes);
    if (middleware.length === 0) return next();
    const found = this.#listed.find((each) => each.name === name)!;
    const params = { ...call.params, name, arguments: given?.["arguments"] ?? {} };
    return runFrom(0, params);

    async function runFrom(index: number, current: object): Promise<object> {
      const run = middleware[index];
      if (run === undefined) {
        return next({ ...call.params, arguments: { name, arguments: argumentsOf(current) ?? {} } });
      }
      return run(asCallOf(found, call, current), (changed) => runFrom(index + 1, changed ?? current));
    }
  }
}

function argumentsOf(params: object | undefined): { readonly [name: string]: unknown } | undefined {
  const args: unknown = (params as { readonly arguments?: unknown } | undefined)?.arguments;
  return isObject(args) ? args : undefined;
}

/** The same request as a call of another tool. */
function asCallOf(found: FoundTool, call: RequestCall, params: object): RequestCall {
  return {
    method: call.method,
    params,
    context: call.context,
    origin: call.origin,
    tool: found as Tool,
    trace: call.trace,
    get isOver() {
      return call.isOver;
    },
    get isDetached() {
      return call.isDetached;
    },
    get isCancelled() {
      return call.isCancelled;
    },
    abort: (reason) => call.abort(reason),
    onAbort: (listener) => call.onAbort(listener),
    offAbort: (listener) => call.offAbort(listener),
    findResource: (uri) => call.findResource(uri),
    findTemplate: (uriTemplate) => call.findTemplate(uriTemplate),
    showOnly: (isShown) => call.showOnly(isShown),
    refuseAsUnknown: () => {
      throw new ToolError(`Unknown tool: ${found.name}`);
    },
  };
}

/** The result of a tool with an output schema, which `call_tool` does not have. */
async function writeStructured(name: string, returned: unknown, output: SchemaDescription): Promise<ToolContent> {
  const parts: ReplyParts = returned instanceof ToolReply ? (returned as ToolReply).parts : { structured: returned };
  const { content, isError } = parts;
  let { structured } = parts;
  // What another server gave is for the caller to see as it is, and errors promise nothing.
  if (isError !== true && !(returned instanceof PassedResult)) {
    const checked = await output.validate(structured);
    if (!checked.ok) {
      const problems = describeIssues(checked.issues);
      throw new Error(`The result of the tool "${name}" does not fit its \`output\`:\n${problems}`);
    }
    structured = checked.value;
  }
  const blocks = (content === undefined ? [JSON.stringify(structured)] : [content].flat()).map((block) =>
    typeof block === "string" ? { type: "text" as const, text: block } : block,
  );
  const result: CallToolResult = {
    content: blocks,
    ...(isObject(structured) && { structuredContent: structured }),
    ...(isError === true && { isError }),
  };
  return result;
}
