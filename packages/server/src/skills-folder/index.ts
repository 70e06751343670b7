/**
 * Skills read from a folder of Markdown files. Needs Node.
 *
 * @packageDocumentation
 */
export type { SkillsFolderChange } from "./find-changes.ts";
export { openSkillsFolder, type SkillsFolder, type SkillsFolderOptions } from "./open-folder.ts";
