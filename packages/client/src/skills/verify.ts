import type { ReadResourceResult } from "@toolwire/protocol";
import { findDifference, readFrontmatter, type Frontmatter } from "@toolwire/protocol/frontmatter";
import { quoteWords } from "@toolwire/protocol/internal";
import { digestOf, type SkillFrontmatter, type SkillResource } from "@toolwire/protocol/skills";
import { SkillError } from "./errors.ts";

/** A file that was read. */
export interface SkillContents {
  readonly uri: string;
  /** The type of the file, as the server says. */
  readonly mimeType: string | undefined;
  /** The very bytes that the digest is about. */
  readonly bytes: Uint8Array;
  /** The same as text; `undefined` for bytes that are not UTF-8. */
  readonly text: string | undefined;
}

/**
 * Takes a file out of a result of `resources/read`. Refuses more than `most` bytes before anything is decoded.
 *
 * @throws SkillError with `code` if it is larger
 */
export function readContents(
  uri: string,
  result: object,
  most: number,
  code: "SIZE_MISMATCH" | "TOO_LARGE",
): SkillContents {
  // The client has checked its form.
  const { contents } = result as ReadResourceResult;
  const found = contents.find((each) => each.uri === uri);
  if (found === undefined) throw new SkillError("INVALID_CONTENTS", uri, `The server has not sent ${quoteWords(uri)}.`);
  const { text, blob = "", mimeType } = found as { readonly text?: string; readonly blob?: string; mimeType?: unknown };
  const bytes = typeof text === "string" ? encode(uri, text, most, code) : decodeBase64(uri, blob, most, code);
  return { uri, mimeType: typeof mimeType === "string" ? mimeType : undefined, bytes, text: toText(bytes) };
}

/** Checks a file against what its skill says (SEP-2640, Verification on Read). */
export async function verifyFile({ uri, digest, size }: SkillResource, bytes: Uint8Array): Promise<void> {
  if (bytes.length !== size) throw wrongSize("SIZE_MISMATCH", uri, size);
  if ((await digestOf(bytes)) === digest) return;
  throw new SkillError(
    "DIGEST_MISMATCH",
    uri,
    `${quoteWords(uri)} does not have the digest that its skill says.${STALE}`,
  );
}

/** Checks the front matter of a `SKILL.md` against what the server has listed (SEP-2640, Frontmatter Verification). */
export function verifyFrontmatter(listed: SkillFrontmatter, { uri, text }: SkillContents): Frontmatter {
  if (text === undefined) throw mismatch(uri, "is not text in UTF-8");
  const read = readFrontmatter(text);
  if ("problem" in read) throw mismatch(uri, `cannot be read. Line ${read.line}: ${read.problem.slice(0, 300)}`);
  const place = findDifference(listed, read.fields);
  if (place === undefined) return read;
  throw mismatch(uri, `differs in ${quoteWords(place)} from what the server has listed.${STALE}`);
}

const STALE = " It may have been changed since: refresh the skill.";

function encode(uri: string, text: string, most: number, code: "SIZE_MISMATCH" | "TOO_LARGE"): Uint8Array {
  // UTF-8 never has fewer bytes than a string has code units.
  if (text.length > most) throw wrongSize(code, uri, most);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > most) throw wrongSize(code, uri, most);
  return bytes;
}

function decodeBase64(uri: string, blob: string, most: number, code: "SIZE_MISMATCH" | "TOO_LARGE"): Uint8Array {
  if (blob.length > Math.ceil(most / 3) * 4) throw wrongSize(code, uri, most);
  let binary: string;
  try {
    binary = atob(blob);
  } catch (cause) {
    throw new SkillError("INVALID_CONTENTS", uri, `What the server has sent of ${quoteWords(uri)} is no base64.`, {
      cause,
    });
  }
  if (binary.length > most) throw wrongSize(code, uri, most);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function wrongSize(code: "SIZE_MISMATCH" | "TOO_LARGE", uri: string, size: number): SkillError {
  const message =
    code === "SIZE_MISMATCH"
      ? `${quoteWords(uri)} does not have the ${size} bytes that its skill says.${STALE}`
      : `${quoteWords(uri)} is too large: the client takes ${size} more bytes of this skill. Raise \`maxBytes\` for more.`;
  return new SkillError(code, uri, message);
}

function mismatch(uri: string, problem: string): SkillError {
  return new SkillError("FRONTMATTER_MISMATCH", uri, `The front matter of ${quoteWords(uri)} ${problem}`);
}
