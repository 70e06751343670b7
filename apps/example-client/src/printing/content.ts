import { isObject } from "@toolwire/protocol/internal";
import { ProtocolViolation, type ContentBlock } from "@toolwire/protocol";

type Fields = { readonly [key: string]: unknown };

/** A content block as a person wants to read it. Throws a `ProtocolViolation` if it lacks what its type promises. */
export function describeContent(block: ContentBlock): string {
  const fields = block as unknown as Fields;
  switch (block.type) {
    case "text":
      return read(fields, "text");
    case "image":
    case "audio":
      return `(${block.type}: ${read(fields, "mimeType")}, ${countBytes(read(fields, "data"))} bytes)`;
    case "resource_link":
      return `(link: ${read(fields, "name")}, ${read(fields, "uri")})`;
    case "resource": {
      const resource = fields["resource"];
      if (!isObject(resource)) throw incomplete("resource");
      const mimeType = "mimeType" in resource ? read(resource, "mimeType") : "unknown type";
      const contents = "text" in resource ? read(resource, "text") : `${countBytes(read(resource, "blob"))} bytes`;
      return `(resource: ${read(resource, "uri")}, ${mimeType}) ${contents}`;
    }
    default:
      // A later revision, or a server with ideas of its own.
      return `(${(block as { readonly type: string }).type})`;
  }
}

function read(fields: Fields, key: string): string {
  const value = fields[key];
  if (typeof value !== "string") throw incomplete(key);
  return value;
}

function incomplete(key: string): ProtocolViolation {
  return new ProtocolViolation("INVALID_RESULT", `A block of the tool's content has no valid \`${key}\`.`);
}

function countBytes(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
