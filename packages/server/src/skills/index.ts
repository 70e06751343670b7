/**
 * Skills: instructions for agents, served as resources that clients can verify (SEP-2640).
 *
 * @packageDocumentation
 */
export type {
  GetSkillResult,
  ListSkillsResult,
  ReadDirectoryResult,
  Skill,
  SkillFrontmatter,
  SkillResource,
} from "@toolwire/protocol/skills";
export type { ServedFile, SkillFile, SkillFiles } from "./file.ts";
export { skillUri } from "./paths.ts";
export {
  skill,
  type FixedSkill,
  type FixedSkillOptions,
  type GeneratedSkill,
  type GeneratedSkillOptions,
  type SkillDefinition,
} from "./skill.ts";
export type { SkillsOptions, SkillSubject } from "./options.ts";
export type { SkillCatalog } from "./service.ts";
export { skills, type SkillMethods, type SkillsExtension } from "./skills.ts";
