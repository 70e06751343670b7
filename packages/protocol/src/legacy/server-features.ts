/** Translates tools, resources, prompts and their content into older revisions. */

import type {
  Annotations,
  AudioContent,
  ContentBlock,
  ContentBlockBase,
  EmbeddedResource,
  ResourceContents,
  ResourceLink,
  TextContent,
} from "../model/content.ts";
import { isObject } from "../model/json.ts";
import type { Prompt, PromptArgument } from "../model/prompts.ts";
import type { Resource, ResourceTemplate } from "../model/resources.ts";
import type { CallToolResult, Tool, ToolInputSchema } from "../model/tools.ts";
import { allowsContent, hasFeature } from "../revisions/features.ts";
import { eraOf, type Revision } from "../revisions/revision.ts";
import { chain, each, knownFields, member, omit, type Rewrite, values } from "./rewrite.ts";

/** Translates content of tool results and prompts: blocks of a type that the revision lacks become text. */
export function contentRewrite(revision: Revision): Rewrite<ContentBlock> {
  const contents = member<EmbeddedResource, "resource">("resource", resourceContentsRewrite(revision));
  return chain<ContentBlock>(
    allowsContent(revision, "audio", "message")
      ? undefined
      : (block) => (block.type === "audio" ? audioToText(block) : block),
    allowsContent(revision, "resource_link", "message")
      ? undefined
      : (block) => (block.type === "resource_link" ? linkToText(block) : block),
    contents && ((block) => (block.type === "resource" ? contents(block) : block)),
    knownFields(revision, "content"),
    annotationsRewrite(revision),
  );
}

/** Translates the contents of a resource. */
export function resourceContentsRewrite(revision: Revision): Rewrite<ResourceContents> {
  return knownFields(revision, "resourceContents");
}

/** Translates the annotations of a value. */
export function annotationsRewrite<T extends { annotations?: Annotations | undefined }>(
  revision: Revision,
): Rewrite<T> {
  const rewrite = knownFields<Annotations>(revision, "annotations");
  return rewrite && member<T, "annotations">("annotations", (annotations) => rewrite(annotations));
}

/** Describes audio that the revision cannot carry. */
export function audioToText(block: AudioContent): TextContent {
  const { mimeType, data } = block;
  const kilobytes = Math.ceil((data.length * 3) / 4000);
  return toText(block, `[${mimeType} audio, ${kilobytes} KB: not supported by this protocol revision]`);
}

function linkToText(block: ResourceLink): TextContent {
  const { name, title, uri, description } = block;
  const text = `Resource "${title ?? name}": ${uri}`;
  return toText(block, description === undefined ? text : `${text}\n${description}`);
}

function toText({ annotations, _meta }: ContentBlockBase, text: string): TextContent {
  return { type: "text", text, annotations, _meta };
}

/** Translates a tool as it is listed. */
export function toolRewrite(revision: Revision): Rewrite<Tool> {
  if (eraOf(revision) === "modern") return undefined;
  return chain(
    // In 2025-03-26, the title of a tool was part of its annotations.
    revision === "2025-03-26" ? titleToAnnotations : undefined,
    knownFields(revision, "tool"),
    member<Tool, "inputSchema">("inputSchema", objectProperties),
    describeObjectsOnly,
  );
}

/** Translates the result of a tool. */
export function callToolResultRewrite(revision: Revision): Rewrite<CallToolResult> {
  return chain(
    hasFeature(revision, "anyStructuredContent")
      ? undefined
      : structureRewrite<CallToolResult>(hasFeature(revision, "structuredContent")),
    member<CallToolResult, "content">("content", each(contentRewrite(revision))),
  );
}

/**
 * Leaves out structured content that is not an object, or all of it. The text beside it has the same content; if there is
 * none, it is added.
 */
export function structureRewrite<T extends Pick<CallToolResult, "content" | "structuredContent">>(
  objectsAllowed: boolean,
): (result: T) => T {
  return (result) => {
    const { structuredContent, content } = result;
    if (structuredContent === undefined || (objectsAllowed && isObject(structuredContent))) return result;
    const plain = omit(result, ["structuredContent"]);
    if (content.some(({ type }) => type === "text")) return plain;
    return { ...plain, content: [...content, { type: "text", text: JSON.stringify(structuredContent) }] };
  };
}

function titleToAnnotations(tool: Tool): Tool {
  const { title, annotations } = tool;
  return title === undefined || annotations?.title !== undefined
    ? tool
    : { ...tool, annotations: { ...annotations, title } };
}

function describeObjectsOnly(tool: Tool): Tool {
  const { outputSchema } = tool;
  if (outputSchema === undefined) return tool;
  if (outputSchema["type"] !== "object") return omit(tool, ["outputSchema"]);
  const rewritten = objectProperties({ ...outputSchema, type: "object" });
  return rewritten["properties"] === outputSchema["properties"] ? tool : { ...tool, outputSchema: rewritten };
}

/** Before 2026-07-28 the schemas of properties had to be written as objects, while JSON Schema allows true and false. */
function objectProperties(schema: ToolInputSchema): ToolInputSchema {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const rewritten = spellOut(properties);
  return rewritten === properties ? schema : { ...schema, properties: rewritten };
}

const spellOut = /* @__PURE__ */ values<unknown>((schema) => {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
});

/** Translates a resource or a template as it is listed. */
export function resourceRewrite<T extends Resource | ResourceTemplate>(revision: Revision): Rewrite<T> {
  return chain<T>(knownFields(revision, "listed"), annotationsRewrite(revision));
}

/** Translates a prompt as it is listed. */
export function promptRewrite(revision: Revision): Rewrite<Prompt> {
  return chain<Prompt>(
    knownFields(revision, "listed"),
    member<Prompt, "arguments">("arguments", each<PromptArgument>(knownFields(revision, "promptArgument"))),
  );
}
