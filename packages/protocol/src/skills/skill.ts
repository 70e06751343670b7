import type { CacheableResult, ListResult } from "../model/basic.ts";
import type { JsonObject } from "../model/json.ts";
import type { Resource } from "../model/resources.ts";

/** The identifier of the extension. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** The type of resources that are folders. */
export const DIRECTORY_TYPE = "inode/directory";

/** What every host accepts of one skill, and what servers should not exceed. */
export const SKILL_LIMITS: SkillLimits = { files: 512, bytes: 16 * 1024 * 1024 };

/** How large a skill may be. */
export interface SkillLimits {
  /** Files, `SKILL.md` among them. */
  readonly files: number;
  /** Bytes of all files together. */
  readonly bytes: number;
}

/** A file of a skill, with what its contents must be. */
export interface SkillResource {
  readonly uri: string;
  /** The SHA-256 of the bytes: `sha256:` and 64 lower-case hexadecimal digits. */
  readonly digest: string;
  /** How many bytes the file has. */
  readonly size: number;
}

/** The front matter of a `SKILL.md`: all fields that its author wrote. */
export interface SkillFrontmatter extends JsonObject {
  /** A label, and the name of the skill's folder. Not an identifier: other servers, and other folders, may use it too. */
  readonly name: string;
  /** What the skill does, and when to use it. */
  readonly description: string;
}

/** A skill, as servers list it. */
export interface Skill {
  /** The URI of its `SKILL.md`. It identifies the skill within its server, and nowhere else. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All files; `"dynamic"` if they are made for each reader, so that nothing can be said of them before. */
  readonly resources: readonly SkillResource[] | "dynamic";
}

/** A page of skills. */
export interface ListSkillsResult extends ListResult {
  readonly skills: readonly Skill[];
}

/** One skill. */
export interface GetSkillResult extends CacheableResult {
  readonly skill: Skill;
}

/** What is in a folder, with folders as resources of the type {@link DIRECTORY_TYPE}. */
export interface ReadDirectoryResult extends ListResult {
  readonly resources: readonly Resource[];
}

/** The digest of a file's bytes, in the form of {@link SkillResource.digest}. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  const digits = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0"));
  return `sha256:${digits.join("")}`;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a text can be the name of a skill: 1 to 64 lower-case letters, digits and single hyphens between them. */
export function isSkillName(name: string): boolean {
  return name.length <= 64 && NAME.test(name);
}
