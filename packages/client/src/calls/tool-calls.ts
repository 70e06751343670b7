import type { CallToolResult, ListToolsResult, SchemaValidator } from "@toolwire/protocol";
import { type ToolCatalog, readToolList } from "../catalog/catalog.ts";
import { prepareCheck } from "../catalog/output.ts";
import type { Link } from "../connection/link.ts";
import { copyJson } from "../messages/json.ts";
import type { Call } from "./call.ts";

/** The parts of the client that tool calls use. */
export interface ToolCallsOptions {
  readonly link: Link;
  readonly catalog: ToolCatalog;
  /** Whether structured results are checked: of tools that have been listed, or `always`. */
  readonly validate: boolean | "always";
  readonly validator: SchemaValidator | undefined;
  /** Sends `tools/list`. */
  readonly list: (params: object) => Promise<object>;
}

/** Looks up the tools that are called, and checks their structured results. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  #refreshing: Promise<void> | undefined;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  /** Lists all tools anew, to find out what has changed about them. */
  refresh(): Promise<void> {
    const { link, list } = this.#options;
    return (this.#refreshing ??= readToolList(link, list).finally(() => {
      this.#refreshing = undefined;
    }));
  }

  /**
   * Learns a page of tools, and leaves out those that cannot be called. Returns a copy, which callers may change: the tools
   * stay known as the server has listed them.
   */
  learn(page: ListToolsResult): ListToolsResult {
    const { catalog, link } = this.#options;
    const hasHeaders = link.current?.transport.hasHeaders === true && link.agreement?.era.hasParamHeaders === true;
    return copyJson({ ...page, tools: [...catalog.learn(page.tools, hasHeaders)] });
  }

  /** Looks up the tool of a call. Returns a promise if the tools have to be listed, or its check prepared, before it is sent. */
  prepare(call: Call): Promise<void> | undefined {
    call.tool = this.#options.catalog.get(call.toolName);
    return this.#isPrepared(call) ? undefined : this.#prepareTool(call);
  }

  /** Lists the tools anew and looks up the tool of a call. */
  async find(call: Call): Promise<void> {
    await call.waitFor(this.refresh(), "listing the server's tools");
    call.tool = this.#options.catalog.get(call.toolName);
  }

  /** Checks the result of a call against the output schema of its tool. Throws or rejects if it does not match. */
  check(call: Call, result: CallToolResult): object | Promise<object> {
    const { validate = this.#options.validate } = call.options;
    // A check may have been prepared for other calls of the tool.
    const problem = validate === false ? undefined : call.tool?.checkOutput?.(result, clearOf(call));
    if (problem === undefined) return result;
    if (problem.isFinal) throw problem.violation;
    return this.#checkAgain(call, result, problem.violation);
  }

  async #prepareTool(call: Call): Promise<void> {
    if (call.tool === undefined) await this.find(call);
    this.#prepareCheck(call);
  }

  #isPrepared({ tool, options }: Call): boolean {
    const { validate = this.#options.validate } = options;
    if (tool === undefined) return validate !== "always";
    // Some servers write `null` for no schema.
    return !tool.tool.outputSchema || tool.checkOutput !== undefined || validate === false;
  }

  #prepareCheck(call: Call): void {
    const { tool } = call;
    if (tool === undefined || this.#isPrepared(call)) return;
    tool.checkOutput = prepareCheck(tool.tool, this.#options.validator);
  }

  /** Lists the tools anew, because the schema may have changed: the result is wrong only if the new one does not fit either. */
  async #checkAgain(call: Call, result: CallToolResult, violation: Error): Promise<object> {
    const { tool: before } = call;
    await this.find(call).catch(() => call.options.signal?.throwIfAborted());
    if (call.tool === undefined || call.tool === before) throw violation;
    this.#prepareCheck(call);
    const problem = call.tool.checkOutput?.(result, clearOf(call));
    if (problem !== undefined) throw problem.violation;
    return result;
  }
}

/** Clears texts of the credentials that were sent with a call. */
function clearOf({ connection }: Call): (text: string) => string {
  return (text) => connection.transport.clear(text);
}
