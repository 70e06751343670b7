import type {
  AudioContent,
  ContentBlockBase,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from "@toolwire/protocol";
import { encodeBinary } from "./binary.ts";

/** Makes a text block. */
export function text(value: string, extra?: ContentBlockBase): TextContent {
  return { type: "text", text: value, ...extra };
}

/** Makes an image block, from bytes or base64. Throws a `UsageError` for other text, such as a path. */
export function image(data: Uint8Array | string, mimeType: string, extra?: ContentBlockBase): ImageContent {
  return { type: "image", data: encodeBinary("image()", data), mimeType, ...extra };
}

/** Makes an audio block, from bytes or base64. Throws a `UsageError` for other text, such as a path. */
export function audio(data: Uint8Array | string, mimeType: string, extra?: ContentBlockBase): AudioContent {
  return { type: "audio", data: encodeBinary("audio()", data), mimeType, ...extra };
}

/** Makes a link to a resource, which the client can read. */
export function resourceLink(link: Omit<ResourceLink, "type">): ResourceLink {
  return { type: "resource_link", ...link };
}

/** The contents of an embedded resource: its URI, and its text or bytes. */
export type EmbeddedContents = { uri: string; mimeType?: string | undefined } & (
  | { text: string }
  | { blob: Uint8Array | string }
);

/** Makes a block with a resource and its contents: text, or bytes as a `Uint8Array` or base64. */
export function embeddedResource(resource: EmbeddedContents, extra?: ContentBlockBase): EmbeddedResource {
  if (!("blob" in resource)) return { type: "resource", resource, ...extra };
  const blob = encodeBinary("`blob` of embeddedResource()", resource.blob);
  return { type: "resource", resource: { ...resource, blob }, ...extra };
}
