import type { JsonValue } from "@toolwire/protocol";
import { isObject, quoteWords } from "@toolwire/protocol/internal";
import {
  isSkillName,
  SKILL_FILE,
  type Skill,
  type SkillFrontmatter,
  type SkillResource,
} from "@toolwire/protocol/skills";
import { SkillError } from "./errors.ts";

/** The most characters of a URI. */
const MAX_URI = 8192;

/** The deepest nesting of front matter. What can be read of a `SKILL.md` is never deeper. */
const MAX_DEPTH = 32;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** A `SKILL.md` in a folder, in any scheme. */
const MAIN = /^[A-Za-z][A-Za-z\d+.-]*:\/\/(?:[^/]+\/)+SKILL\.md$/;

/** Parts of a path that lead elsewhere, in any encoding, and characters that deceive. */
const SUSPICIOUS = /(?:^|\/)(?:\.|%2e){0,2}(?:\/|$)|%2f|%5c|%00|[\\?#\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/iu;

/**
 * Checks what a server says of a skill. The copy that is returned does not change, whatever becomes of the message.
 *
 * @throws SkillError for what is no skill
 */
export function readEntry(given: unknown): Skill {
  const { uri, frontmatter, resources } = isObject(given) ? given : ({} as { readonly [key: string]: unknown });
  if (typeof uri !== "string" || uri.length > MAX_URI || !MAIN.test(uri)) {
    throw invalid(uri, `its \`uri\` is not that of a ${SKILL_FILE}`);
  }
  if (SUSPICIOUS.test(pathOf(uri))) throw invalid(uri, "its `uri` leads elsewhere");
  if (!isObject(frontmatter)) throw invalid(uri, "it has no `frontmatter`");
  const { name, description } = frontmatter;
  if (typeof name !== "string" || !isSkillName(name)) {
    throw invalid(uri, "its `name` is not made of lower-case letters, digits and single hyphens");
  }
  if (nameOf(uri) !== name) throw invalid(uri, `its folder is not called ${name}, as its \`name\` is`);
  if (typeof description !== "string" || description === "") throw invalid(uri, "it has no `description`");
  const fields = copyFields(uri, frontmatter, 0) as SkillFrontmatter;
  if (resources === "dynamic") return Object.freeze({ uri, frontmatter: fields, resources });
  if (!Array.isArray(resources)) throw invalid(uri, '`resources` is neither a list nor "dynamic"');
  return Object.freeze({ uri, frontmatter: fields, resources: readResources(uri, resources) });
}

function readResources(uri: string, given: readonly unknown[]): readonly SkillResource[] {
  const seen = new Set<string>();
  const resources = given.map((each) => {
    const { uri: file, digest, size } = isObject(each) ? each : ({} as { readonly [key: string]: unknown });
    if (typeof file !== "string" || file.length > MAX_URI) throw invalid(uri, "a file has no `uri`");
    if (!isInFolder(uri, file)) throw invalid(uri, `the file ${quoteWords(file)} is not in its folder`);
    if (seen.has(file)) throw invalid(uri, `the file ${quoteWords(file)} is listed twice`);
    if (typeof digest !== "string" || !DIGEST.test(digest)) {
      throw invalid(uri, `the file ${quoteWords(file)} has no digest of SHA-256`);
    }
    if (!isSize(size)) throw invalid(uri, `the file ${quoteWords(file)} has no size`);
    seen.add(file);
    return Object.freeze({ uri: file, digest, size });
  });
  if (!seen.has(uri)) throw invalid(uri, `${SKILL_FILE} is not among its files`);
  return Object.freeze(resources);
}

function isSize(size: unknown): size is number {
  return Number.isSafeInteger(size) && (size as number) >= 0;
}

/** The URI of the folder of a skill, without a slash at its end. */
export function folderOf(uri: string): string {
  return uri.slice(0, -SKILL_FILE.length - 1);
}

/** Whether a URI is that of something in the folder of a skill, and leads nowhere else. */
export function isInFolder(skill: string, uri: string): boolean {
  const folder = `${folderOf(skill)}/`;
  return uri.startsWith(folder) && !SUSPICIOUS.test(uri.slice(folder.length));
}

/** The path of a URI, with the part that other schemes use for the host. */
export function pathOf(uri: string): string {
  return uri.slice(uri.indexOf("://") + 3);
}

function nameOf(uri: string): string {
  const folder = folderOf(uri);
  return folder.slice(folder.lastIndexOf("/") + 1);
}

function copyFields(uri: string, value: unknown, depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw invalid(uri, `its front matter is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copyFields(uri, item, depth + 1)));
  if (!isObject(value)) return value as JsonValue;
  const members = Object.entries(value).map(([key, member]) => [key, copyFields(uri, member, depth + 1)] as const);
  return Object.freeze(Object.fromEntries(members));
}

function invalid(uri: unknown, problem: string): SkillError {
  const shown = typeof uri === "string" ? uri : "";
  const which = shown === "" ? "A skill of the server" : `The skill ${quoteWords(shown)}`;
  return new SkillError("INVALID_SKILL", shown, `${which} cannot be used: ${problem}.`);
}
