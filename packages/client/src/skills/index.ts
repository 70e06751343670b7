/**
 * Skills of servers: found, read when they are needed, and verified (SEP-2640).
 *
 * @packageDocumentation
 */
export type { Skill, SkillFrontmatter, SkillResource } from "@toolwire/protocol/skills";
export type { SkillChild } from "./directories.ts";
export { SkillError, type SkillErrorCode } from "./errors.ts";
export type { LoadedSkill, RemoteSkill } from "./remote-skill.ts";
export { skills, type SkillListOptions, type SkillsApi, type SkillsOptions, type SkillsPage } from "./skills.ts";
export type { SkillContents } from "./verify.ts";
