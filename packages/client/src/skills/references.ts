import { quoteWords } from "@toolwire/protocol/internal";
import type { Skill } from "@toolwire/protocol/skills";
import { folderOf, isInFolder } from "./entry.ts";
import { SkillError } from "./errors.ts";

/**
 * The URI of a file that the instructions of a skill mention: a path from the folder of the skill, as in a file system, or a URI.
 *
 * @throws SkillError with the code `UNLISTED_FILE` for what is no file of the skill
 */
export function resolveReference({ uri: skill, resources }: Skill, reference: string): string {
  const folder = `${folderOf(skill)}/`;
  const isListed = (uri: string): boolean =>
    resources === "dynamic" ? isInFolder(skill, uri) : resources.some((file) => file.uri === uri);
  if (reference.startsWith(folder) && isListed(reference)) return reference;
  const path = /^[a-z][a-z\d+.-]*:/i.test(reference) ? undefined : normalizePath(reference.replace(/#.*$/s, ""));
  if (path !== undefined && path !== "") {
    // How a server encodes names is its own affair.
    const listed = resources === "dynamic" ? [] : resources;
    const found =
      listed.find((file) => decode(file.uri.slice(folder.length)) === path)?.uri ?? folder + encodePath(path);
    if (isListed(found)) return found;
  }
  throw unlisted(skill, reference);
}

/** The refusal of a file that a skill did not have when it was listed. */
export function unlisted(skill: string, reference: string): SkillError {
  const message = `${quoteWords(reference)} is not among the files of the skill ${quoteWords(skill)}. If it was added since, refresh the skill.`;
  return new SkillError("UNLISTED_FILE", reference, message);
}

/** The path that a reference means, decoded; empty for the folder itself, `undefined` if it leads out of that. */
export function normalizePath(reference: string): string | undefined {
  if (reference.startsWith("/")) return undefined;
  const segments: string[] = [];
  for (const segment of decode(reference).split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return segments.join("/");
}

/** A path as a URI has it. */
export function encodePath(path: string): string {
  return path.split("/").map(encode).join("/");
}

/** Text without percent-encodings; as it is if they are none of UTF-8. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encode(segment: string): string {
  try {
    return encodeURIComponent(segment);
  } catch {
    return segment;
  }
}
