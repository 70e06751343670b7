import { UsageError, type CacheScope } from "@toolwire/protocol";
import { expectBoolean, expectChoice, expectCount, expectFunction, expectOptions } from "@toolwire/protocol/internal";
import type { SkillFrontmatter } from "@toolwire/protocol/skills";
import type { Context } from "../define/context.ts";
import type { CacheHint } from "../define/options.ts";
import type { Awaitable } from "../define/tool.ts";
import { readRoot, type SkillRoot } from "./paths.ts";

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
  /** How long, and for whom, clients may keep entries, files and lists of folders. Default: not at all. */
  readonly cache?: CacheHint | undefined;
  /**
   * Decides whether this caller may see and read a skill. For others it does not exist. Files of a skill within another one are files of
   * both: whoever may read one of the two gets them.
   */
  readonly allows?: ((skill: SkillSubject, ctx: Context) => Awaitable<boolean>) | undefined;
}

/** The options of {@link skills}, checked and complete. */
export interface SkillsSettings {
  readonly directoryRead: boolean;
  readonly listsFiles: boolean;
  readonly root: SkillRoot;
  readonly pageSize: number;
  readonly hint: { readonly ttlMs: number; readonly cacheScope: CacheScope };
  readonly allows: SkillsOptions["allows"];
}

const NAMES = { directoryRead: true, listFiles: true, root: true, pageSize: true, cache: true, allows: true } as const;

/** Checks options, and adds defaults. */
export function readOptions(options: SkillsOptions): SkillsSettings {
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
