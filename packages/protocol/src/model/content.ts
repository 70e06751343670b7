import type { Icon, Meta } from "./basic.ts";

/** The speaker of a message, or the audience of a piece of content. */
export type Role = "user" | "assistant";

/** Hints on how to use or show a piece of content. Hints of untrusted servers are untrusted. */
export interface Annotations {
  /** The intended audience; both roles if absent. */
  audience?: readonly Role[] | undefined;
  /** From 0 (optional) to 1 (essential). */
  priority?: number | undefined;
  /** ISO 8601, such as `2026-07-28T09:00:00Z` (since 2025-06-18). */
  lastModified?: string | undefined;
}

/** The members that all content blocks have in common. */
export interface ContentBlockBase {
  annotations?: Annotations | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** Plain text for the model or the user. */
export interface TextContent extends ContentBlockBase {
  type: "text";
  text: string;
}

/** An image. */
export interface ImageContent extends ContentBlockBase {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

/** Audio (since 2025-03-26; older clients get a text that describes it). */
export interface AudioContent extends ContentBlockBase {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
}

/** A link to a resource that the client can read (since 2025-06-18; older clients get a text). */
export interface ResourceLink extends ContentBlockBase {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** The size in bytes, before any encoding. */
  size?: number | undefined;
  icons?: readonly Icon[] | undefined;
}

/** The text of a resource. */
export interface TextResourceContents {
  uri: string;
  mimeType?: string | undefined;
  text: string;
  _meta?: Meta | undefined;
}

/** The bytes of a resource. */
export interface BlobResourceContents {
  uri: string;
  mimeType?: string | undefined;
  /** Base64. */
  blob: string;
  _meta?: Meta | undefined;
}

/** The contents of a resource, as text or as bytes. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** A resource together with its contents. */
export interface EmbeddedResource extends ContentBlockBase {
  type: "resource";
  resource: ResourceContents;
}

/**
 * A piece of a tool result or of a prompt. Its `type` tells which fields it has. For the text of a whole result, clients have
 * `textOf`.
 */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** A model's request to use a tool, in sampling (since 2025-11-25). */
export interface ToolUseContent {
  type: "tool_use";
  /** Repeated in the answering {@link ToolResultContent}. */
  id: string;
  name: string;
  input: { readonly [argument: string]: unknown };
  _meta?: Meta | undefined;
}

/** The result of a tool, passed back to the model in sampling (since 2025-11-25). */
export interface ToolResultContent {
  type: "tool_result";
  toolUseId: string;
  content: readonly ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Meta | undefined;
}

/** A piece of a sampling message. */
export type SamplingContentBlock = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
