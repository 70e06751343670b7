import type { CallToolResult, Context, Icon, JsonSchemaObject, Meta, ToolAnnotations } from "@toolwire/server";
import type { SearchHints } from "@toolwire/server/search";
import type { TaskOptions } from "@toolwire/server/tasks";
import type { Call } from "./call.ts";

/**
 * A tool of the gateway, whatever is behind it: an HTTP API or another MCP server. The steps of a call are the same for all;
 * a route says how each of them is done. `Request` and `Response` are of the route's own kind.
 */
export interface ToolRoute<Request = unknown, Response = unknown> {
  readonly source: "http" | "openapi" | "mcp";
  /** The members that the listing shows. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly input: JsonSchemaObject;
  /** The input as callers see it, if it is another one, and what is different. Arguments are checked against `input`. */
  readonly shown?: { readonly schema: JsonSchemaObject; readonly changes: readonly string[] } | undefined;
  /** Listed as it is. Results are not checked against it: the caller's client does that. */
  readonly output?: JsonSchemaObject | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly _meta?: Meta | undefined;
  /** The id of the operation in its document. The configuration may mean the tool by it, as by its name. */
  readonly operationId?: string | undefined;
  /** How it runs as a task, for callers that know tasks; `undefined` if it never does. */
  readonly task?: TaskOptions | undefined;
  /** What a search finds the tool by besides its texts. Callers never see it. */
  readonly hints?: SearchHints | undefined;

  /** Changes arguments before they are checked, such as text that was meant as an object. Returns the same object if not. */
  repair?(args: object): object;
  /** Step 2: maps valid arguments to a request without credentials. Throws a `ToolError` if a value cannot be sent. */
  resolve(args: object, call: Call): Request;
  /** Step 3: adds credentials. Returns a promise only if it has to wait. */
  authorize(request: Request, call: Call, ctx: Context): Request | Promise<Request>;
  /** Step 4: sends the request. Throws a `ToolError` with a text for the model if there is no response. */
  send(request: Request, call: Call, ctx: Context): Promise<Response>;
  /** Step 5: makes a result of the response. Throws a `ToolError` with a text for the model if it is a failure. */
  transform(response: Response, call: Call, args: object): CallToolResult;
}
