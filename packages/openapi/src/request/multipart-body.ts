/** Bodies of the type `multipart/form-data` (RFC 7578). */
import { isComposite, isPresent, jsonOf, membersOf, textOf } from "./arguments.ts";
import { readFile } from "./file-value.ts";
import { isTypeRange } from "./media-type.ts";
import type { BodyEncoding } from "./request-spec.ts";

/** A body with the boundary that its parts are separated by. */
export interface MultipartBody {
  readonly bytes: Uint8Array;
  readonly boundary: string;
}

/** Writes one property as one part, or a list as one part for each item. */
export function writeMultipart(
  fields: object,
  encoding: { readonly [property: string]: BodyEncoding } | undefined,
  maxFileBytes: number,
): MultipartBody {
  // Long enough that no file contains it by chance. Nobody can guess it either, so no text can pretend to be another part.
  const boundary = `toolwire-${globalThis.crypto.randomUUID()}`;
  const chunks: (string | Uint8Array)[] = [];
  for (const [name, value] of membersOf(fields)) {
    const declared = encoding !== undefined && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
    const items: unknown[] = isComposite(value) && Array.isArray(value) ? value.filter(isPresent) : [value];
    for (const item of items) writePart(chunks, boundary, name, item, declared ?? {}, maxFileBytes);
  }
  chunks.push(`--${boundary}--\r\n`);
  return { bytes: concat(chunks), boundary };
}

function writePart(
  chunks: (string | Uint8Array)[],
  boundary: string,
  name: string,
  value: unknown,
  { contentType, isFile }: BodyEncoding,
  maxFileBytes: number,
): void {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
  if (isFile === true) {
    const { bytes, filename, mimeType } = readFile(value, maxFileBytes, name);
    const declared = contentType === undefined || isTypeRange(contentType) ? undefined : contentType;
    const type = mimeType ?? declared ?? "application/octet-stream";
    chunks.push(`${head}; filename="${escapeName(filename ?? name)}"\r\nContent-Type: ${type}\r\n\r\n`, bytes, "\r\n");
    return;
  }
  // A part without a type is text (RFC 7578, section 4.4). Some servers take every part with a type for a file.
  const type = contentType ?? (isComposite(value) ? "application/json" : undefined);
  const text = isComposite(value) ? jsonOf(value, name) : textOf(value, name);
  chunks.push(`${head}${type === undefined ? "" : `\r\nContent-Type: ${type}`}\r\n\r\n${text}\r\n`);
}

/** Escapes a name as browsers do (WHATWG HTML, "multipart/form-data encoding algorithm"), so that it cannot end its header. */
function escapeName(name: string): string {
  return name.replaceAll(
    /["\r\n\0]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

function concat(chunks: readonly (string | Uint8Array)[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk));
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
