import { UsageError, type Resource } from "@toolwire/protocol";
import {
  expectBoolean,
  expectChoice,
  expectCount,
  expectFunction,
  expectOptions,
  isObject,
} from "@toolwire/protocol/internal";
import {
  SKILLS_EXTENSION,
  type GetSkillResult,
  type ListSkillsResult,
  type ReadDirectoryResult,
  type SkillFrontmatter,
} from "@toolwire/protocol/skills";
import type { Context } from "../define/context.ts";
import { method, type ExtensionMethod, type ServerExtension } from "../define/extension.ts";
import type { CacheHint } from "../define/options.ts";
import { resource, type ReadReturn } from "../define/resource.ts";
import type { Awaitable } from "../define/tool.ts";
import { invalidParams } from "../errors.ts";
import { takeShown } from "../registry/pages.ts";
import { CompiledCatalog, type ServedSkill } from "./catalog.ts";
import { cutPage, readCursor, writeCursor } from "./pages.ts";
import { readRoot, readUri } from "./paths.ts";
import type { SkillDefinition } from "./skill.ts";

/** Skills that may change while they are served, such as those of a folder. */
export interface SkillCatalog {
  /** The skills at the moment: another array once they have changed. */
  readonly skills: readonly SkillDefinition[];
}

/** A skill that a caller wants to see or read. */
export interface SkillSubject {
  readonly uri: string;
  readonly path: string;
  readonly frontmatter: SkillFrontmatter;
}

/** The options of {@link skills}. */
export interface SkillsOptions {
  /** Whether clients may list folders with `resources/directory/read`. Default: true. */
  readonly directoryRead?: boolean | undefined;
  /** Whether `resources/list` has all files. Default: false, it has the `SKILL.md` of each skill. */
  readonly listFiles?: boolean | undefined;
  /** What all URIs begin with: a scheme, or a URI such as `github://owner/repo`. Default: `skill://`. */
  readonly root?: string | undefined;
  /** The most skills, or things in a folder, on a page. Default: 100. */
  readonly pageSize?: number | undefined;
  /** How long, and for whom, clients may keep entries and files. Default: not at all. */
  readonly cache?: CacheHint | undefined;
  /**
   * Decides whether this caller may see and read a skill. For others it does not exist. Files of a skill within another one are files of
   * both: whoever may read one of the two gets them.
   */
  readonly allows?: ((skill: SkillSubject, ctx: Context) => Awaitable<boolean>) | undefined;
}

/** The methods of the extension, for `connect<typeof server>()`. */
// An alias, not an interface: only aliases fit where any method is allowed.
export type SkillMethods = {
  readonly "skills/list": ExtensionMethod<{ readonly cursor?: string | undefined }, ListSkillsResult>;
  readonly "skills/get": ExtensionMethod<{ readonly uri: string }, GetSkillResult>;
  readonly "resources/directory/read": ExtensionMethod<
    { readonly uri: string; readonly cursor?: string | undefined },
    ReadDirectoryResult
  >;
};

/** The extension that serves skills, made by {@link skills}. */
export interface SkillsExtension extends ServerExtension<SkillMethods> {
  readonly methods: SkillMethods;
}

/** The most files of all skills on a page. Skills are not divided: one with more has a page of its own. */
const MAX_FILES_ON_PAGE = 2000;

const NAMES = { directoryRead: true, listFiles: true, root: true, pageSize: true, cache: true, allows: true } as const;

const PAGE_PARAMS = { type: "object", properties: { cursor: { type: "string" } } } as const;
const URI_PARAMS = { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] } as const;
const FOLDER_PARAMS = {
  type: "object",
  properties: { uri: { type: "string" }, cursor: { type: "string" } },
  required: ["uri"],
} as const;

/**
 * Serves skills: instructions for agents, with the files that they mention (`io.modelcontextprotocol/skills`, SEP-2640).
 *
 * Clients that know the extension list skills, and check each file that they read. For all others, the files are resources like others.
 * They need not declare the extension: it changes nothing else for them.
 *
 * @example
 * ```ts
 * createServer({ name: "shop", version: "1.0.0", extensions: [skills([refunds, returns])] });
 * ```
 *
 * @throws UsageError if two skills contradict each other
 */
export function skills(
  catalog: readonly SkillDefinition[] | SkillCatalog,
  options: SkillsOptions = {},
): SkillsExtension {
  const settings = readOptions(options);
  const served = new SkillService(readCatalog(catalog), settings);
  const list = method({ params: PAGE_PARAMS, isGated: false, isCacheable: true, handle: served.list });
  const get = method({ params: URI_PARAMS, isGated: false, isCacheable: true, handle: served.get });
  const folder = method({ params: FOLDER_PARAMS, isGated: false, handle: served.listFolder });
  const { directoryRead, root } = settings;
  return {
    id: SKILLS_EXTENSION,
    settings: directoryRead ? { directoryRead } : {},
    methods: {
      "skills/list": list,
      "skills/get": get,
      ...(directoryRead && { "resources/directory/read": folder }),
    } as object as SkillMethods,
    resources: {
      "skill-files": resource({
        template: `${root.prefix}{+path}`,
        list: served.listFiles,
        read: served.read,
      }),
    },
  };
}

type Settings = ReturnType<typeof readOptions>;

function readOptions(options: SkillsOptions) {
  const {
    directoryRead,
    listFiles,
    root,
    pageSize = 100,
    cache = {},
    allows,
  } = expectOptions("skills", options, NAMES);
  expectOptions("`cache`", cache, { ttlMs: true, scope: true });
  const scope = expectChoice("cache.scope", ["private", "public"], cache.scope);
  if (allows !== undefined) {
    expectFunction("allows", allows);
    if (scope === "public") {
      throw new UsageError(
        "INVALID_ARGUMENT",
        'With `allows`, callers see different skills, so `cache.scope` cannot be "public": a shared cache would show them to everybody.',
      );
    }
  }
  return {
    directoryRead: expectBoolean("directoryRead", directoryRead, true),
    listsFiles: expectBoolean("listFiles", listFiles, false),
    root: readRoot(root),
    pageSize: expectCount("pageSize", pageSize),
    hint: { ttlMs: expectCount("cache.ttlMs", cache.ttlMs ?? 0, 0), cacheScope: scope },
    allows,
  };
}

function readCatalog(catalog: readonly SkillDefinition[] | SkillCatalog): SkillCatalog {
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

/** Answers requests about skills. */
class SkillService {
  readonly #catalog: SkillCatalog;
  readonly #settings: Settings;
  #seen: readonly SkillDefinition[];
  #compiled: CompiledCatalog;

  constructor(catalog: SkillCatalog, settings: Settings) {
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
    return { resources: items, ...(nextCursor !== undefined && { nextCursor }) };
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
  #hintFor({ era }: Context): Partial<Settings["hint"]> {
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
