import type { JsonSchema, ToolAnnotations } from "@toolwire/protocol";
import type { Context } from "../define/context.ts";
import type { ServerMiddleware } from "../define/middleware.ts";
import type { ToolContent } from "../define/reply.ts";
import type { Awaitable } from "../define/tool.ts";
import type { SearchHints } from "./search-hints.ts";

/** A tool that can be found. */
export interface FoundTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly annotations?: ToolAnnotations | undefined;
  /** What a search finds the tool by besides its texts. Callers never see it. */
  readonly hints?: SearchHints | undefined;
}

/** The tools behind search mode. A gateway has its own, with the rules and records of its calls. */
export interface ToolProvider {
  /** The tools that the caller may use. Return the same list for as long as nothing changes: an index of it is kept. */
  list(ctx: Context): Awaitable<readonly FoundTool[]>;
  /**
   * Calls a tool of the list.
   *
   * @throws ToolError that names the tool, if the arguments do not fit
   */
  call(name: string, args: object, ctx: Context): Awaitable<ToolContent>;
  /** Runs around each call of `call_tool`, if the tools have middleware of their own. */
  readonly middleware?: ServerMiddleware | undefined;
}
