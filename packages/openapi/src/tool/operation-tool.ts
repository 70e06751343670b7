/** An ordinary tool of a server that calls an operation. */
import type { AnySchema } from "@toolwire/protocol";
import { createClearing } from "@toolwire/protocol/internal";
import {
  type CallToolResult,
  type Context,
  reply,
  type ServerMiddleware,
  tool,
  type ToolAnnotations,
  type ToolDefinition,
  ToolError,
} from "@toolwire/server";
import { findBy, type SearchHints } from "@toolwire/server/search";
import type { HttpCaller, HttpResponse } from "../caller/http-caller.ts";
import type { HttpMethod } from "../request/request-spec.ts";
import { describeFailure } from "../response/error-text.ts";
import { callOperation } from "./call-operation.ts";
import type { HttpOperation } from "./operation.ts";
import type { ApiResponse, HttpToolResponseOptions } from "./options.ts";

/** The parts of a tool that calls an operation. */
export interface OperationToolOptions {
  readonly operation: HttpOperation;
  readonly caller: HttpCaller;
  readonly listing: {
    readonly title?: string | undefined;
    readonly description?: string | undefined;
    readonly input?: AnySchema | undefined;
    readonly output?: AnySchema | undefined;
    readonly annotations?: ToolAnnotations | undefined;
    readonly icons?: ToolDefinition["icons"];
    readonly _meta?: ToolDefinition["_meta"];
  };
  readonly middleware?: readonly ServerMiddleware[] | undefined;
  readonly transform?: HttpToolResponseOptions["transform"];
  readonly hints?: SearchHints | undefined;
}

const operations = new WeakMap<object, HttpOperation>();

/** The operation behind a tool that `httpTool` or `toolsFromOpenApi` has made: for programs that run its steps themselves. */
export function operationOf(definition: ToolDefinition): HttpOperation | undefined {
  return operations.get(definition);
}

/** Makes a tool that calls an operation. */
export function operationTool(options: OperationToolOptions): ToolDefinition {
  const { operation, caller, listing, middleware, transform, hints } = options;
  const hasOutput = listing.output !== undefined;
  const definition = tool({
    ...listing,
    middleware,
    async run(args: object, ctx: Context): Promise<unknown> {
      const subject = { principal: ctx.principal?.id, signal: ctx.signal };
      const { request, response } = await callOperation(operation, caller, args, subject);
      if (transform !== undefined) return transform(apiResponse(response, args, request.secrets), ctx);
      const { result } = operation.transform(response, args, request.secrets);
      return hasOutput ? structuredReply(result) : result;
    },
  } as Parameters<typeof tool>[0]) as ToolDefinition;
  operations.set(definition, operation);
  return hints === undefined ? definition : findBy(hints, definition);
}

/** With an output schema, the server wants the structured value apart from its text. */
function structuredReply({ content, structuredContent }: CallToolResult): unknown {
  if (structuredContent !== undefined) return reply({ content, structured: structuredContent });
  throw new ToolError("Error: Upstream API response is not the JSON object that was promised");
}

function apiResponse(response: HttpResponse, args: object, secrets: readonly string[] | undefined): ApiResponse {
  const { status, headers, body } = response;
  if (status < 200 || status >= 300) {
    throw new ToolError(describeFailure(response, createClearing(secrets, args)));
  }
  const text = new TextDecoder().decode(body);
  return {
    status,
    headers,
    body,
    text,
    json() {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new ToolError("Error: Upstream API response is not JSON");
      }
    },
  };
}

/** The hints that follow from a method. POST and PATCH may do anything, so nothing is claimed of them. */
export function annotationsOf(method: HttpMethod): ToolAnnotations {
  switch (method) {
    case "GET":
    case "HEAD":
    case "OPTIONS":
      return { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
    case "PUT":
    case "DELETE":
      return { idempotentHint: true, destructiveHint: true, openWorldHint: true };
    default:
      return { openWorldHint: true };
  }
}
