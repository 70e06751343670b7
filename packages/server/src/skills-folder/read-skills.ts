import { basename } from "node:path";
import { UsageError } from "@toolwire/protocol";
import { readFrontmatter } from "@toolwire/protocol/frontmatter";
import { SKILL_FILE, SKILL_LIMITS, type SkillFrontmatter } from "@toolwire/protocol/skills";
import { findFieldProblem } from "../skills/frontmatter.ts";
import { nameOf } from "../skills/paths.ts";
import { skill, type FixedSkill } from "../skills/skill.ts";
import type { FolderProblem } from "./problems.ts";
import { readFoundFile } from "./read-file.ts";
import { findFiles, type FoundFile, type Ignore } from "./walk.ts";

/** The skills of a folder, and what is wrong with it. */
export interface ReadSkills {
  readonly skills: readonly FixedSkill[];
  readonly problems: readonly FolderProblem[];
}

/** A folder with a `SKILL.md`. */
interface SkillFolder {
  /** Its path among all skills. */
  readonly path: string;
  readonly main: FoundFile;
  /** Further files, by their path below this folder. */
  readonly files: Map<string, FoundFile>;
}

/**
 * Reads all skills in a folder: every folder with a `SKILL.md`, that which was given among them. A file belongs to the innermost skill
 * around it. Other files are left alone.
 */
export async function readSkills(root: string, ignore: Ignore, maxBytes: number): Promise<ReadSkills> {
  const { files, problems: found } = await findFiles(root, ignore);
  const problems = [...found, ...files.flatMap(findMisspelt)];
  const folders = groupBySkill(files, basename(root));
  const bytes = sum([...folders.values()].flatMap(allFiles));
  if (bytes > maxBytes) {
    const problem = `Its skills have ${bytes} bytes together, and are kept in memory. Raise \`maxBytes\`, which is ${maxBytes}, or leave some out with \`ignore\`.`;
    return { skills: [], problems: [...problems, { file: "", problem }] };
  }
  const skills: FixedSkill[] = [];
  // One after the other: a process may have few files open.
  for (const folder of folders.values()) {
    const read = await readSkill(folder);
    if ("problem" in read) problems.push(read);
    else skills.push(read);
  }
  return { skills, problems };
}

function findMisspelt({ path }: FoundFile): FolderProblem[] {
  const name = nameOf(path);
  if (name === SKILL_FILE || name.toUpperCase() !== SKILL_FILE.toUpperCase()) return [];
  return [{ file: path, problem: `Its name must be ${SKILL_FILE}, in these letters.` }];
}

/** The folders of skills, by path. */
function groupBySkill(files: readonly FoundFile[], rootName: string): ReadonlyMap<string, SkillFolder> {
  // If the folder that was given is a skill itself, all paths begin with its name.
  const isSkill = files.some(({ path }) => path === SKILL_FILE);
  const pathOf = (path: string): string => (isSkill ? `${rootName}/${path}` : path);
  const folders = new Map<string, SkillFolder>();
  for (const main of files) {
    const path = pathOf(main.path);
    const folder = nameOf(path) === SKILL_FILE ? folderOf(path) : undefined;
    if (folder !== undefined) folders.set(folder, { path: folder, main, files: new Map() });
  }
  for (const file of files) {
    const path = pathOf(file.path);
    let folder = folderOf(path);
    while (folder !== undefined && !folders.has(folder)) folder = folderOf(folder);
    if (folder !== undefined && path !== `${folder}/${SKILL_FILE}`) {
      folders.get(folder)?.files.set(path.slice(folder.length + 1), file);
    }
  }
  return folders;
}

async function readSkill(folder: SkillFolder): Promise<FixedSkill | FolderProblem> {
  const { path, main } = folder;
  const all = allFiles(folder);
  const bytes = sum(all);
  if (bytes > SKILL_LIMITS.bytes || all.length > SKILL_LIMITS.files) {
    const problem = `The skill has ${all.length} files of ${bytes} bytes together. Hosts need not accept more than ${SKILL_LIMITS.files} files and ${SKILL_LIMITS.bytes} bytes.`;
    return { file: main.path, problem };
  }
  const contents = new Map<string, Uint8Array>();
  for (const file of all) {
    try {
      contents.set(file.path, await readFoundFile(file));
    } catch (error) {
      return { file: file.path, problem: `It cannot be read: ${(error as Error).message}.` };
    }
  }
  const source = contents.get(main.path) ?? new Uint8Array();
  const frontmatter = readMain(source, nameOf(path));
  if ("problem" in frontmatter) return { file: main.path, ...frontmatter };
  const files = Array.from(
    folder.files,
    ([name, file]) => [name, contents.get(file.path) ?? new Uint8Array()] as const,
  );
  try {
    return skill({ path, frontmatter: frontmatter.fields, source, files: Object.fromEntries(files) });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file: main.path, problem: error.message };
  }
}

/** The front matter of a `SKILL.md` in a folder of this name. */
function readMain(
  source: Uint8Array,
  folder: string,
): { readonly fields: SkillFrontmatter } | Omit<FolderProblem, "file"> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(source);
  } catch {
    return { problem: "It is not text in UTF-8." };
  }
  const read = readFrontmatter(text);
  if ("problem" in read) return read;
  const { fields } = read;
  const wrong = findFieldProblem(fields);
  if (wrong !== undefined) return { line: lineOf(text, wrong.field), problem: `Its front matter: ${wrong.problem}.` };
  const { name } = fields as SkillFrontmatter;
  if (name === folder) return { fields: fields as SkillFrontmatter };
  const problem = `Its \`name\` is "${name}", and must be that of its folder, "${folder}".`;
  return { line: lineOf(text, "name"), problem };
}

/** The line of a field; the first one of the file for a field that is missing. */
function lineOf(text: string, field: string | undefined): number {
  const isField = (line: string): boolean => field !== undefined && /^["']?([\w-]+)["']?\s*:/.exec(line)?.[1] === field;
  return Math.max(0, text.split("\n").findIndex(isField)) + 1;
}

function allFiles({ main, files }: SkillFolder): FoundFile[] {
  return [main, ...files.values()];
}

function sum(files: readonly FoundFile[]): number {
  return files.reduce((bytes, { size }) => bytes + size, 0);
}

/** The folder of a path; `undefined` at the top. */
function folderOf(path: string): string | undefined {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? undefined : path.slice(0, slash);
}
