import type { SamplingContentBlock, TextContent } from "../model/content.ts";
import type { CreateMessageParams, CreateMessageResult, SamplingMessage } from "../model/sampling.ts";
import { annotationsRewrite, audioToText } from "./content.ts";
import { allowsContent, hasFeature, unsupported } from "./features.ts";
import { knownFields } from "./fields.ts";
import { eraOf, type Revision } from "./revision.ts";
import { chain, each, member, type Rewrite } from "./rewrite.ts";
import { structureRewrite, toolRewrite } from "./tools.ts";

type Content = SamplingMessage["content"];

/** What to ask the model, for a revision. Throws a `UsageError` if it must use tools but the revision has none. */
export function createMessageParamsRewrite(revision: Revision): Rewrite<CreateMessageParams> {
  if (eraOf(revision) === "modern") return undefined;
  if (!hasFeature(revision, "samplingTools")) {
    return chain<CreateMessageParams>(
      (params) => {
        if (params.toolChoice?.mode === "required") throw unsupported(revision, "have its model use tools");
        return params;
      },
      knownFields(revision, "createMessageParams"),
      member("messages", (messages) => messages.flatMap(singleBlocks(revision))),
    );
  }
  return chain<CreateMessageParams>(
    member("tools", each(toolRewrite(revision))),
    member("messages", each(member<SamplingMessage, "content">("content", objectsOnly))),
  );
}

/** What the model said, for a revision. */
export function createMessageResultRewrite(revision: Revision): Rewrite<CreateMessageResult> {
  if (eraOf(revision) === "modern") return undefined;
  if (hasFeature(revision, "samplingTools")) return member("content", objectsOnly);
  const block = blockRewrite(revision);
  return member("content", (content) => {
    const blocks = toArray(content);
    const [first] = blocks;
    if (blocks.length === 1 && first !== undefined) return block(first);
    // One block is all there may be, so what does not fit is told in words.
    const told: TextContent = { type: "text", text: blocks.map((item) => inWords(block(item))).join("\n") };
    return told;
  });
}

/** Splits a message into messages of one block each. */
function singleBlocks(revision: Revision): (message: SamplingMessage) => SamplingMessage[] {
  const block = blockRewrite(revision);
  return ({ role, content }) => toArray(content).map((item) => ({ role, content: block(item) }));
}

function blockRewrite(revision: Revision): (block: SamplingContentBlock) => SamplingContentBlock {
  const tidy: Rewrite<Exclude<SamplingContentBlock, { type: "tool_use" | "tool_result" }>> = chain(
    knownFields(revision, "content"),
    annotationsRewrite(revision),
  );
  const hasAudio = allowsContent(revision, "audio", "sampling");
  return (block) => {
    if (block.type === "tool_use" || block.type === "tool_result") return { type: "text", text: inWords(block) };
    const allowed = block.type === "audio" && !hasAudio ? audioToText(block) : block;
    return tidy === undefined ? allowed : tidy(allowed);
  };
}

/** Structured content in a tool's result has to be an object before 2026-07-28. */
function objectsOnly(content: Content): Content {
  const rewrite = (block: SamplingContentBlock): SamplingContentBlock =>
    block.type === "tool_result" ? objectStructure(block) : block;
  return isArray(content) ? each(rewrite)(content) : rewrite(content);
}

const objectStructure = /* @__PURE__ */ structureRewrite<Extract<SamplingContentBlock, { type: "tool_result" }>>(true);

/** What a block says, where the block itself cannot stand. */
function inWords(block: SamplingContentBlock): string {
  if (block.type === "text") return block.text;
  return "mimeType" in block ? `[${block.mimeType} ${block.type}]` : JSON.stringify(block);
}

function toArray(content: Content): readonly SamplingContentBlock[] {
  return isArray(content) ? content : [content];
}

function isArray(content: Content): content is readonly SamplingContentBlock[] {
  return Array.isArray(content);
}
