import type { ContentBlock } from "@toolwire/protocol";

/** A content block as a person wants to read it. */
export function describeContent(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `(${block.type}: ${block.mimeType}, ${countBytes(block.data)} bytes)`;
    case "resource_link":
      return `(link: ${block.name}, ${block.uri})`;
    case "resource": {
      const { uri, mimeType = "unknown type" } = block.resource;
      const contents = "text" in block.resource ? block.resource.text : `${countBytes(block.resource.blob)} bytes`;
      return `(resource: ${uri}, ${mimeType}) ${contents}`;
    }
    default:
      // A later revision, or a server with ideas of its own.
      return `(${(block as { readonly type: string }).type})`;
  }
}

function countBytes(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
