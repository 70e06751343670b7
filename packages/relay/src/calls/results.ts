import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import type { ContentBlock, ReadAnswer } from "@toolwire/server";
import { metaForCaller } from "../text/meta.ts";

/** Turns a URI of an upstream into the one under which its resource is offered. */
export type Outward = (uri: string) => string;

/** Makes the caller's result of a tool of the upstream's. */
export function passToolResult(result: CallToolResult, outward: Outward): CallToolResult {
  const { content, structuredContent, isError } = result;
  const _meta = metaForCaller(result._meta);
  return {
    content: content.map((block) => passBlock(block, outward)),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(_meta !== undefined && { _meta }),
  };
}

/** Makes the caller's result of a prompt of the upstream's. */
export function passPrompt(result: GetPromptResult, outward: Outward): GetPromptResult {
  const { description, messages } = result;
  const _meta = metaForCaller(result._meta);
  return {
    ...(description !== undefined && { description }),
    messages: messages.map((message) => ({ ...message, content: passBlock(message.content, outward) })),
    ...(_meta !== undefined && { _meta }),
  };
}

/** Makes the caller's contents of a resource of the upstream's. What is read for one principal is for no other. */
export function passContents(result: ReadResourceResult, outward: Outward, isPerPrincipal: boolean): ReadAnswer {
  const _meta = metaForCaller(result._meta);
  return {
    contents: result.contents.map((item) => ({ ...item, uri: outward(item.uri) })),
    ...(result.ttlMs !== undefined && { ttlMs: result.ttlMs }),
    cacheScope: result.cacheScope === "public" && !isPerPrincipal ? "public" : "private",
    ...(_meta !== undefined && { _meta }),
  };
}

/** Passes a content block on. One that is malformed stays as it is, for the caller to see. */
function passBlock(block: ContentBlock, outward: Outward): ContentBlock {
  if (block.type === "resource_link") return { ...block, uri: outward(block.uri) };
  if (block.type !== "resource" || !isObject(block.resource)) return block;
  return { ...block, resource: { ...block.resource, uri: outward(block.resource.uri) } };
}
