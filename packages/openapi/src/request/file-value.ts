/**
 * Files in arguments: `{ "base64": "…" }` or `{ "text": "…" }`, with an optional `filename` and `mimeType`. An argument never
 * names a file or a URL to read: a model could then send anything of this machine or its network to the API.
 */
import { refuseArgument } from "./arguments.ts";
import { isMediaType } from "./media-type.ts";

/** A file, decoded. */
export interface FileValue {
  readonly bytes: Uint8Array;
  readonly filename: string | undefined;
  readonly mimeType: string | undefined;
}

/** The most bytes of a file unless the definition says otherwise. */
export const MAX_FILE_BYTES: number = 1024 * 1024;

const FORM = 'it must be an object with "base64" or "text", and optionally "filename" and "mimeType"';

/**
 * Decodes a file.
 *
 * @throws ToolError if it is no file, not base64, or too large
 */
export function readFile(value: unknown, maxBytes: number, label: string): FileValue {
  if (typeof value !== "object" || value === null) throw refuseArgument(label, FORM);
  const { base64, text, filename, mimeType } = value as { readonly [name: string]: unknown };
  const bytes = readBytes(base64, text, maxBytes, label);
  if (filename !== undefined && typeof filename !== "string") throw refuseArgument(label, FORM);
  if (mimeType !== undefined && (typeof mimeType !== "string" || !isMediaType(mimeType))) {
    throw refuseArgument(label, '"mimeType" must be a media type such as "image/png"');
  }
  return { bytes, filename, mimeType };
}

function readBytes(base64: unknown, text: unknown, maxBytes: number, label: string): Uint8Array {
  if (typeof text === "string" && base64 === undefined) {
    const bytes = new TextEncoder().encode(text);
    return bytes.length <= maxBytes ? bytes : refuseSize(maxBytes, label);
  }
  if (typeof base64 !== "string" || text !== undefined) throw refuseArgument(label, FORM);
  if (base64.length > (maxBytes + 3) * 1.4) return refuseSize(maxBytes, label);
  const bytes = decodeBase64(base64);
  if (bytes === undefined) throw refuseArgument(label, '"base64" holds characters that are not base64');
  return bytes.length <= maxBytes ? bytes : refuseSize(maxBytes, label);
}

function refuseSize(maxBytes: number, label: string): never {
  throw refuseArgument(label, `the file is larger than ${maxBytes} bytes`);
}

/** Decodes base64 in either alphabet (RFC 4648), with or without padding. `undefined` for anything else. */
function decodeBase64(base64: string): Uint8Array | undefined {
  const standard = base64.replaceAll("-", "+").replaceAll("_", "/");
  if (!/^[\w+/]*={0,2}$/.test(standard)) return undefined;
  try {
    const binary = atob(standard);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}
