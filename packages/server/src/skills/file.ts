import type { Resource } from "@toolwire/protocol";
import { digestOf, type SkillResource } from "@toolwire/protocol/skills";
import { UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { ReadContents } from "../define/resource.ts";
import { mediaTypeOf } from "./media-types.ts";

/** The contents of a file: text, bytes, or either with a type that its name does not tell. */
export type SkillFile =
  | string
  | Uint8Array
  | { readonly contents: string | Uint8Array; readonly mimeType?: string | undefined };

/** Files by their path below the folder of the skill, such as `references/FORMS.md`. */
export interface SkillFiles {
  readonly [path: string]: SkillFile;
}

/** A file that can be served. */
export interface ServedFile {
  readonly mimeType: string;
  /** How many bytes it has. */
  readonly size: number;
  /** What `resources/read` answers. */
  read(): ReadContents;
  /** Computed once, when it is first asked for. */
  digest(): Promise<string>;
  /** Whether another file has the same bytes and type. */
  equals(other: ServedFile): boolean;
  readonly bytes: Uint8Array;
}

/**
 * Checks a file, and makes it ready to be served. What is UTF-8 is served as text, everything else as base64: either way, clients get
 * the very bytes that the digest is about.
 */
export function serveFile(path: string, file: SkillFile): ServedFile {
  const { contents, mimeType: given } = readFile(path, file);
  // A copy: whoever gave the bytes may change them later, and the digest would not.
  const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents.slice();
  // No text for people has NUL characters.
  const isText = typeof contents === "string" || (!bytes.includes(0) && decode(bytes) !== undefined);
  const mimeType = given ?? mediaTypeOf(path, isText);
  let digest: Promise<string> | undefined;
  return {
    mimeType,
    bytes,
    size: bytes.length,
    // Only the bytes are kept: as a string, the same takes up to twice the memory.
    read: () => (isText ? { mimeType, text: decode(bytes) } : { mimeType, blob: bytes }),
    digest: () => (digest ??= digestOf(bytes)),
    equals: (other) => mimeType === other.mimeType && isSame(bytes, other.bytes),
  };
}

function readFile(
  path: string,
  file: unknown,
): { readonly contents: string | Uint8Array; readonly mimeType?: string | undefined } {
  const { contents, mimeType } = isObject(file) && !(file instanceof Uint8Array) ? file : { contents: file };
  const isFine = typeof contents === "string" ? !/\p{Surrogate}/u.test(contents) : contents instanceof Uint8Array;
  if (!isFine || (mimeType !== undefined && typeof mimeType !== "string")) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `The file ${JSON.stringify(path)} of a skill must be text without halves of surrogate pairs, a Uint8Array, or { contents, mimeType }.`,
    );
  }
  return { contents: contents as string | Uint8Array, mimeType };
}

/** The text of bytes that are UTF-8, its byte order mark included. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** A file as the entry of its skill names it. */
export async function describeFile(uri: string, file: ServedFile): Promise<SkillResource> {
  return { uri, digest: await file.digest(), size: file.size };
}

/** A file as lists of resources name it. */
export function listFile(uri: string, file: ServedFile): Resource {
  const name = decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
  return { uri, name, mimeType: file.mimeType, size: file.size };
}
