import { UsageError, type Resource } from "@toolwire/protocol";
import { DIRECTORY_TYPE, SKILL_FILE, type Skill } from "@toolwire/protocol/skills";
import type { Context } from "../define/context.ts";
import type { Awaitable } from "../define/tool.ts";
import { describeFile, listFile, type ServedFile } from "./file.ts";
import { isBelow, readUri, skillFileOf, uriOf, type SkillRoot } from "./paths.ts";
import { expectSize, expectTree, type SkillDefinition } from "./skill.ts";

/** A skill that can be served. */
export interface ServedSkill {
  readonly path: string;
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  readonly definition: SkillDefinition;
  /** How many files it has; 0 if they are made for each reader. */
  readonly fileCount: number;
  /** Its files by path below its folder. Those of a generated skill are made for this reader. */
  filesFor(ctx: Context): Awaitable<Files>;
  /** What `skills/list` and `skills/get` say of it. */
  entry(): Promise<Skill>;
}

type Files = ReadonlyMap<string, ServedFile>;

/** The skills of a server at one moment: they agree with each other, and each of them has all of its files. */
export class CompiledCatalog {
  /** In the order of their URIs. */
  readonly skills: readonly ServedSkill[];
  readonly #root: SkillRoot;
  readonly #byPath: ReadonlyMap<string, ServedSkill>;

  /** Throws a `UsageError` if two skills contradict each other. */
  constructor(definitions: readonly SkillDefinition[], root: SkillRoot) {
    this.#root = root;
    const sorted = definitions.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    for (const [index, { path }] of sorted.entries()) {
      if (path !== sorted[index + 1]?.path) continue;
      throw new UsageError("DUPLICATE_NAME", `There are two skills at the path "${path}": each needs its own.`);
    }
    const skills = sorted.map((definition) => serveSkill(definition, sorted, root));
    this.skills = skills.toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
    this.#byPath = new Map(this.skills.map((skill) => [skill.path, skill]));
  }

  /** The skill of a `SKILL.md`. */
  find(uri: string): ServedSkill | undefined {
    const path = readUri(this.#root, uri);
    if (path?.endsWith(`/${SKILL_FILE}`) !== true) return undefined;
    return this.#byPath.get(path.slice(0, -SKILL_FILE.length - 1));
  }

  /** The skills that have a file, if it exists: the one in whose folder it is first, then those around that one. */
  around(path: string): readonly ServedSkill[] {
    const found: ServedSkill[] = [];
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const skill = this.#byPath.get(path.slice(0, slash));
      if (skill !== undefined) found.push(skill);
    }
    return found;
  }

  /** The skills that have something to say about a folder: those in it, and those that it is a part of. */
  concerning(folder: string): readonly ServedSkill[] {
    const inside = this.skills.filter(({ path }) => path === folder || isBelow(path, folder));
    return [...this.around(folder), ...inside];
  }

  /**
   * What is in a folder, as far as these skills are concerned, in the order of names. `undefined` if they have no such folder. Folders
   * above skills count, too: they are how somebody finds the skills below.
   */
  async listFolder(folder: string, skills: readonly ServedSkill[], ctx: Context): Promise<Resource[] | undefined> {
    const children = new Map<string, Resource>();
    const add = (path: string, file: ServedFile | undefined, skill: ServedSkill): void => {
      const rest = path.slice(folder.length + 1);
      const [name = ""] = rest.split("/", 1);
      const uri = uriOf(this.#root, `${folder}/${name}`);
      if (file === undefined || name !== rest) children.set(name, { uri, name, mimeType: DIRECTORY_TYPE });
      else if (uri === skill.uri) children.set(name, listSkillFile(skill, file));
      else if (!children.has(name)) children.set(name, listFile(uri, file));
    };
    for (const skill of skills) {
      if (isBelow(skill.path, folder)) add(skill.path, undefined, skill);
      else {
        for (const [name, file] of await skill.filesFor(ctx)) {
          const path = `${skill.path}/${name}`;
          if (isBelow(path, folder)) add(path, file, skill);
        }
      }
    }
    if (children.size === 0) return undefined;
    return [...children.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
  }

  /** Files as `resources/list` shows them: the `SKILL.md` of these skills, or everything. */
  async listFiles(skills: readonly ServedSkill[], withAll: boolean, ctx: Context): Promise<Resource[]> {
    const listed = new Map<string, Resource>();
    for (const skill of skills) {
      const { definition } = skill;
      const files = "files" in definition || withAll ? await skill.filesFor(ctx) : new Map<string, ServedFile>();
      listed.set(skill.uri, listSkillFile(skill, files.get(SKILL_FILE)));
      if (!withAll) continue;
      for (const [name, file] of files) {
        const uri = uriOf(this.#root, `${skill.path}/${name}`);
        if (!listed.has(uri)) listed.set(uri, listFile(uri, file));
      }
    }
    return [...listed.values()];
  }
}

/** A `SKILL.md` is listed under the name and the description of its skill. */
function listSkillFile({ uri, definition }: ServedSkill, file: ServedFile | undefined): Resource {
  const { name, description } = definition.frontmatter;
  const size = "files" in definition ? file?.size : undefined;
  return { uri, name, description, mimeType: SKILL_TYPE, ...(size !== undefined && { size }) };
}

const SKILL_TYPE = "text/markdown";

function serveSkill(definition: SkillDefinition, all: readonly SkillDefinition[], root: SkillRoot): ServedSkill {
  const { path, frontmatter } = definition;
  const uri = uriOf(root, skillFileOf(path));
  if ("generate" in definition) {
    const entry = Promise.resolve({ uri, frontmatter, resources: "dynamic" as const });
    return { path, uri, definition, fileCount: 0, filesFor: (ctx) => definition.generate(ctx), entry: () => entry };
  }
  const files = completeFiles(definition, all);
  let entry: Promise<Skill> | undefined;
  const describe = async (): Promise<Skill> => ({
    uri,
    frontmatter,
    resources: await Promise.all(
      Array.from(files, ([name, file]) => describeFile(uriOf(root, `${path}/${name}`), file)),
    ),
  });
  return { path, uri, definition, fileCount: files.size, filesFor: () => files, entry: () => (entry ??= describe()) };
}

/**
 * The files of a skill with those of the skills in its folder, which are files of this skill as well (SEP-2640, Nested Skills). In the
 * order of their paths.
 */
function completeFiles(
  { path, files: own }: Extract<SkillDefinition, { readonly files: unknown }>,
  all: readonly SkillDefinition[],
): Files {
  const files = new Map(own);
  for (const inner of all) {
    if (!isBelow(inner.path, path)) continue;
    if ("generate" in inner) {
      throw new UsageError(
        "INVALID_DEFINITION",
        `The skill "${inner.path}" is made for each reader, so the skill "${path}" around it cannot say what its files are: move one of them.`,
      );
    }
    for (const [name, file] of inner.files) {
      const below = `${inner.path.slice(path.length + 1)}/${name}`;
      const known = files.get(below);
      if (known !== undefined && !known.equals(file)) {
        throw new UsageError(
          "INVALID_DEFINITION",
          `The skills "${path}" and "${inner.path}" have different contents for "${path}/${below}".`,
        );
      }
      files.set(below, file);
    }
  }
  expectTree(path, files);
  expectSize(path, files);
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
