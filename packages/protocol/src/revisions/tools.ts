import { isObject } from "../model/json.ts";
import type { CallToolResult } from "../model/tool-calls.ts";
import type { Tool, ToolInputSchema } from "../model/tools.ts";
import { contentRewrite } from "./content.ts";
import { hasFeature } from "./features.ts";
import { knownFields } from "./fields.ts";
import { eraOf, type Revision } from "./revision.ts";
import { chain, each, member, omit, values, type Rewrite } from "./rewrite.ts";

/** A tool as it is listed, for a revision. */
export function toolRewrite(revision: Revision): Rewrite<Tool> {
  if (eraOf(revision) === "modern") return undefined;
  return chain(
    // Tools had no title of their own then, but their annotations did.
    revision === "2025-03-26" ? titleToAnnotations : undefined,
    knownFields(revision, "tool"),
    member<Tool, "inputSchema">("inputSchema", objectProperties),
    describeObjectsOnly,
  );
}

/** The answer of a tool, for a revision. */
export function callToolResultRewrite(revision: Revision): Rewrite<CallToolResult> {
  return chain(
    hasFeature(revision, "anyStructuredContent")
      ? undefined
      : structureRewrite<CallToolResult>(hasFeature(revision, "structuredContent")),
    member<CallToolResult, "content">("content", each(contentRewrite(revision))),
  );
}

/**
 * Leaves out structured content that is no object, or all of it. The text beside it says the same; where there is none,
 * it is added, so that nothing gets lost.
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
