/**
 * What servers and clients share of the skills extension (SEP-2640).
 *
 * @packageDocumentation
 */
export {
  digestOf,
  DIRECTORY_TYPE,
  isSkillName,
  SKILL_FILE,
  SKILL_LIMITS,
  SKILLS_EXTENSION,
  type GetSkillResult,
  type ListSkillsResult,
  type ReadDirectoryResult,
  type Skill,
  type SkillFrontmatter,
  type SkillLimits,
  type SkillResource,
} from "./skill.ts";
