import type {
  AudioContent,
  ContentBlockBase,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from "@toolwire/protocol";
import { toBase64 } from "./base64.ts";

/** Makes a text block. */
export function text(value: string, extra?: ContentBlockBase): TextContent {
  return { type: "text", text: value, ...extra };
}

/** Makes an image block, from bytes or base64. */
export function image(data: Uint8Array | string, mimeType: string, extra?: ContentBlockBase): ImageContent {
  return { type: "image", data: toBase64(data), mimeType, ...extra };
}

/** Makes an audio block, from bytes or base64. */
export function audio(data: Uint8Array | string, mimeType: string, extra?: ContentBlockBase): AudioContent {
  return { type: "audio", data: toBase64(data), mimeType, ...extra };
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
  const contents = "blob" in resource ? { ...resource, blob: toBase64(resource.blob) } : resource;
  return { type: "resource", resource: contents, ...extra };
}
