import type { CallToolResult, Tool } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import { ToolError, type ContentBlock, type Context, type JsonSchemaObject } from "@toolwire/server";
import type { Call } from "../routes/call.ts";
import type { ToolRoute } from "../routes/tool-route.ts";
import { cleanAnnotations, cleanSchema, cleanWords } from "./listing-text.ts";
import { passedMeta } from "./relay.ts";

/** The part of an upstream that its tools need. */
export interface ToolSource {
  readonly name: string;
  /** Calls a tool for a caller. */
  callTool(tool: string, args: object, ctx: Context): Promise<CallToolResult>;
  /** Whether calls are refused until somebody has accepted the tool. */
  isWithheld(tool: string, ctx: Context): boolean;
  /** The URI under which the gateway offers a resource of the upstream. */
  outwardUri(uri: string): string;
}

/** Makes the route to a tool of an upstream. Texts for people and models are cleaned; names and schemas stay as they are. */
export function mcpRoute(source: ToolSource, tool: Tool): ToolRoute<object, CallToolResult> {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = tool;
  return {
    source: "mcp",
    title: cleanWords(title),
    description: cleanWords(description),
    input: cleanSchema(inputSchema as JsonSchemaObject),
    output: outputSchema === undefined ? undefined : cleanSchema(outputSchema as JsonSchemaObject),
    annotations: cleanAnnotations(annotations),
    icons,
    _meta: passedMeta(_meta),
    resolve: (args) => args,
    authorize: (request) => request,
    send(args, call, ctx) {
      if (source.isWithheld(name, ctx)) return Promise.reject(withheld(source.name, name));
      call.attempts = 1;
      return source.callTool(name, args, ctx);
    },
    transform: (result, call) => passResult(source, result, call),
  };
}

function withheld(upstream: string, tool: string): ToolError {
  return new ToolError(
    `Error: The tool ${tool} of upstream ${upstream} has changed, and waits for the operator to accept it`,
  );
}

/** Passes a result on. URIs in it are those under which the gateway offers resources. */
function passResult(source: ToolSource, result: CallToolResult, call: Call): CallToolResult {
  const { content, structuredContent, isError } = result;
  const _meta = passedMeta(result._meta);
  call.responseBytes = sizeOf(content);
  return {
    content: content.map((block) => passBlock(source, block)),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(_meta !== undefined && { _meta }),
  };
}

/** Passes a content block on. One that is malformed stays as it is, for the caller to see. */
export function passBlock(source: Pick<ToolSource, "outwardUri">, block: ContentBlock): ContentBlock {
  if (block.type === "resource_link") return { ...block, uri: source.outwardUri(block.uri) };
  if (block.type !== "resource" || !isObject(block.resource)) return block;
  return { ...block, resource: { ...block.resource, uri: source.outwardUri(block.resource.uri) } };
}

/** The length of texts and binary data, which is nearly all of a result. Measuring the rest would mean writing it as JSON. */
function sizeOf(content: readonly object[]): number {
  let size = 0;
  for (const block of content as readonly { text?: unknown; data?: unknown; resource?: unknown }[]) {
    size += lengthOf(block.text) + lengthOf(block.data);
    if (isObject(block.resource)) size += lengthOf(block.resource["text"]) + lengthOf(block.resource["blob"]);
  }
  return size;
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}
