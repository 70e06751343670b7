import { UsageError, type Resource } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { GetSkillResult, ListSkillsResult, ReadDirectoryResult } from "@toolwire/protocol/skills";
import type { Context } from "../define/context.ts";
import type { ReadReturn } from "../define/resource.ts";
import { invalidParams } from "../errors.ts";
import { takeShown } from "../registry/pages.ts";
import { CompiledCatalog, type ServedSkill } from "./catalog.ts";
import type { SkillsSettings } from "./options.ts";
import { cutPage, readCursor, writeCursor } from "./pages.ts";
import { readUri } from "./paths.ts";
import type { SkillDefinition } from "./skill.ts";

/** Skills that may change while they are served, such as those of a folder. */
export interface SkillCatalog {
  /** The skills at the moment: another array once they have changed. */
  readonly skills: readonly SkillDefinition[];
}

/** The most files of all skills on a page. Skills are not divided: one with more has a page of its own. */
const MAX_FILES_ON_PAGE = 2000;

/** Answers requests about skills. */
export class SkillService {
  readonly #catalog: SkillCatalog;
  readonly #settings: SkillsSettings;
  #seen: readonly SkillDefinition[];
  #compiled: CompiledCatalog;

  /** Throws a `UsageError` if skills contradict each other. */
  constructor(catalog: SkillCatalog, settings: SkillsSettings) {
    this.#catalog = catalog;
    this.#settings = settings;
    this.#seen = catalog.skills;
    this.#compiled = new CompiledCatalog(this.#seen, settings.root);
  }

  /** Answers `skills/list`. */
  readonly list = async ({ cursor }: { readonly cursor?: string }, ctx: Context): Promise<ListSkillsResult> => {
    const { pageSize } = this.#settings;
    const after = cursor === undefined ? "" : readCursor("skills", cursor);
    const rest = this.#now().skills.filter(({ uri }) => uri > after);
    const { taken, hasMore } = await takeShown(rest, pageSize, (skill) => this.#allows(skill, ctx));
    const shown = takeFiles(taken);
    const last = shown.at(-1);
    const isLast = last === undefined || (!hasMore && shown.length === taken.length);
    return {
      skills: await Promise.all(shown.map((skill) => skill.entry())),
      ...(!isLast && { nextCursor: writeCursor("skills", last.uri) }),
      ...this.#hintFor(ctx),
    };
  };

  /** Answers `skills/get`. */
  readonly get = async ({ uri }: { readonly uri: string }, ctx: Context): Promise<GetSkillResult> => {
    const skill = this.#now().find(uri);
    if (skill === undefined || !(await this.#allows(skill, ctx))) {
      throw invalidParams(`No skill is served at ${uri.slice(0, 200)}`, { uri });
    }
    return { skill: await skill.entry(), ...this.#hintFor(ctx) };
  };

  /** Answers `resources/directory/read`. */
  readonly listFolder = async (
    { uri, cursor }: { readonly uri: string; readonly cursor?: string },
    ctx: Context,
  ): Promise<ReadDirectoryResult> => {
    const { root, pageSize } = this.#settings;
    const catalog = this.#now();
    const folder = readUri(root, uri);
    const concerned = folder === undefined ? [] : await this.#select(catalog.concerning(folder), ctx);
    const children = folder === undefined ? undefined : await catalog.listFolder(folder, concerned, ctx);
    if (children === undefined) throw invalidParams(`${uri.slice(0, 200)} is not a directory resource`, { uri });
    const { items, nextCursor } = cutPage(uri, children, cursor, pageSize);
    // The extension asks for no hint here, but clients on the official SDK refuse a result without.
    return { resources: items, ...(nextCursor !== undefined && { nextCursor }), ...this.#hintFor(ctx) };
  };

  /** Lists files for `resources/list`. */
  readonly listFiles = async (ctx: Context): Promise<Resource[]> => {
    const catalog = this.#now();
    return catalog.listFiles(await this.#select(catalog.skills, ctx), this.#settings.listsFiles, ctx);
  };

  /** Reads a file for `resources/read`. */
  readonly read = async ({ path }: { readonly path: string }, ctx: Context): Promise<ReadReturn> => {
    for (const skill of this.#now().around(path)) {
      if (!(await this.#allows(skill, ctx))) continue;
      const file = (await skill.filesFor(ctx)).get(path.slice(skill.path.length + 1));
      if (file === undefined) continue;
      return { contents: file.read(), ...("files" in skill.definition && this.#settings.hint) };
    }
    return undefined;
  };

  /** The skills at the moment. */
  #now(): CompiledCatalog {
    const { skills: definitions } = this.#catalog;
    if (definitions !== this.#seen) {
      this.#compiled = new CompiledCatalog(definitions, this.#settings.root);
      this.#seen = definitions;
    }
    return this.#compiled;
  }

  /** Earlier revisions know nothing of freshness. */
  #hintFor({ era }: Context): Partial<SkillsSettings["hint"]> {
    return era === "modern" ? this.#settings.hint : {};
  }

  async #allows({ uri, path, definition: { frontmatter } }: ServedSkill, ctx: Context): Promise<boolean> {
    const { allows } = this.#settings;
    return allows === undefined || (await allows({ uri, path, frontmatter }, ctx));
  }

  async #select(given: readonly ServedSkill[], ctx: Context): Promise<readonly ServedSkill[]> {
    if (this.#settings.allows === undefined) return given;
    return (await takeShown(given, given.length, (skill) => this.#allows(skill, ctx))).taken;
  }
}

/** The first skills that have room on a page together, at least one. */
function takeFiles(given: readonly ServedSkill[]): readonly ServedSkill[] {
  let files = 0;
  const end = given.findIndex(({ fileCount }, index) => {
    files += fileCount;
    return index > 0 && files > MAX_FILES_ON_PAGE;
  });
  return end === -1 ? given : given.slice(0, end);
}

/** A catalog that stays as it is, or one that may change. */
export function readCatalog(catalog: readonly SkillDefinition[] | SkillCatalog): SkillCatalog {
  const given: SkillCatalog = Array.isArray(catalog)
    ? { skills: [...(catalog as readonly SkillDefinition[])] }
    : (catalog as SkillCatalog);
  const isFine = isObject(given) && Array.isArray(given.skills);
  const stranger = isFine && given.skills.some((each: unknown) => !isObject(each) || !isObject(each["frontmatter"]));
  if (isFine && !stranger) return given;
  throw new UsageError(
    "INVALID_ARGUMENT",
    "`skills` takes an array of what `skill()` returns, or a catalog of a folder.",
  );
}
