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
import { allowsContent } from "./features.ts";
import { knownFields } from "./fields.ts";
import type { Revision } from "./revision.ts";
import { chain, member, type Rewrite } from "./rewrite.ts";

/** What tool results and prompts are made of, for a revision: kinds of blocks that it lacks become text. */
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

/** The contents of a resource, for a revision. */
export function resourceContentsRewrite(revision: Revision): Rewrite<ResourceContents> {
  return knownFields(revision, "resourceContents");
}

/** Anything with annotations, for a revision. */
export function annotationsRewrite<T extends { annotations?: Annotations | undefined }>(
  revision: Revision,
): Rewrite<T> {
  const rewrite = knownFields<Annotations>(revision, "annotations");
  return rewrite && member<T, "annotations">("annotations", (annotations) => rewrite(annotations));
}

/** Says what sound would have been here. */
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
