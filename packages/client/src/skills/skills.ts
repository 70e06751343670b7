import { UsageError, type ListResult, type Resource } from "@toolwire/protocol";
import { expectBoolean, expectLimit, expectOption, expectOptions, isObject } from "@toolwire/protocol/internal";
import { SKILL_LIMITS, SKILLS_EXTENSION, type Skill } from "@toolwire/protocol/skills";
import type { RequestOptions } from "../call-options.ts";
import { allItems } from "../calls/pages.ts";
import type { ClientExtension, ExtensionClient } from "../extensions/extension.ts";
import { invalidResult } from "../messages/results.ts";
import { listsDirectories, readDirectory } from "./directories.ts";
import { readEntry } from "./entry.ts";
import { SkillError } from "./errors.ts";
import { KeptFiles } from "./kept-files.ts";
import { RemoteSkill, type SkillSource } from "./remote-skill.ts";

/** The options of {@link skills}. */
export interface SkillsOptions {
  /**
   * The name by which your application knows the server. Names that servers give themselves can be anybody's. Default: its address, if it
   * has one.
   */
  readonly server?: string | undefined;
  /** Whether to load skills that are made for each reader, whose files nobody can verify. Default: false. */
  readonly dynamic?: boolean | undefined;
  /** The most files of a skill. Default, and least: 512. */
  readonly maxFiles?: number | undefined;
  /** The most bytes of all files of a skill. Default, and least: 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** The most bytes of verified files that are kept in memory, so that they need not be read again. Default: 16 MiB. */
  readonly keptBytes?: number | undefined;
}

/** The options of a request for one page of skills. */
export interface SkillListOptions extends RequestOptions {
  /** The `nextCursor` of the previous page. Absent for the first page. */
  readonly cursor?: string | undefined;
}

/** A page of skills. */
export interface SkillsPage {
  readonly skills: readonly RemoteSkill[];
  readonly nextCursor?: string | undefined;
}

/** What `client.use(skills)` returns. */
export interface SkillsApi {
  /** The name by which the application knows the server. */
  readonly server: string;
  /** Whether the server declares the extension. After a reconnect, it is what the server says then. */
  readonly isSupported: boolean;
  /** Whether the server lists folders. */
  readonly listsDirectories: boolean;
  /** Lists a page of skills, and reads none. What is no skill is left out, with a diagnostic. */
  list(options?: SkillListOptions): Promise<SkillsPage>;
  /**
   * Iterates over all skills that the server lists, page by page, and reads none. A server may have more than it lists: {@link get} finds
   * those.
   */
  all(options?: RequestOptions): AsyncIterable<RemoteSkill>;
  /**
   * Gets a skill by the URI of its `SKILL.md`, whether or not it is listed. Rejects with an `RpcError` of the code -32602 if there is none.
   */
  get(uri: string, options?: RequestOptions): Promise<RemoteSkill>;
  /**
   * Lists what is in a folder at the moment, page by page. It may be ahead of a skill that was listed before: for the files of a skill,
   * use its `list()`.
   */
  readDirectory(uri: string, options?: RequestOptions): AsyncIterable<Resource>;
}

const NAMES = { server: true, dynamic: true, maxFiles: true, maxBytes: true, keptBytes: true } as const;

/**
 * Finds skills on servers, and reads them safely (`io.modelcontextprotocol/skills`, SEP-2640). Nothing is read before you ask for it, and
 * what does not have the size, digest and front matter that the server has listed is refused.
 *
 * @example
 * ```ts
 * const docs = skills({ server: "docs" });
 * const client = await connect("https://docs.example.com/mcp", { extensions: [docs] });
 * for await (const skill of client.use(docs).all()) console.log(skill.name, skill.description);
 * ```
 */
export function skills(options: SkillsOptions = {}): ClientExtension<SkillsApi> {
  const { server, dynamic, maxFiles, maxBytes, keptBytes } = expectOptions("skills", options, NAMES);
  expectOption("server", server, server === undefined || (typeof server === "string" && server !== ""), "text");
  const settings = {
    maxFiles: expectLimit("maxFiles", maxFiles, SKILL_LIMITS.files, SKILL_LIMITS.files),
    maxBytes: expectLimit("maxBytes", maxBytes, SKILL_LIMITS.bytes, SKILL_LIMITS.bytes),
    allowsDynamic: expectBoolean("dynamic", dynamic, false),
  };
  const kept = expectLimit("keptBytes", keptBytes, SKILL_LIMITS.bytes, 0);
  return {
    id: SKILLS_EXTENSION,
    methods: { "skills/list": {}, "skills/get": {}, "resources/directory/read": {} },
    api(client) {
      const source: SkillSource = {
        ...settings,
        server: server ?? placeOf(client),
        client,
        kept: new KeptFiles(kept),
        get: (uri, given) => getSkill(source, uri, given),
      };
      return createApi(source);
    },
  };
}

function placeOf({ place }: ExtensionClient): string {
  if (place !== undefined) return place;
  throw new UsageError(
    "INVALID_ARGUMENT",
    'This server has no address that tells its skills from those of others. Give it a name: skills({ server: "docs" }).',
  );
}

function createApi(source: SkillSource): SkillsApi {
  const { client, server } = source;
  const list: SkillsApi["list"] = async ({ cursor, ...options } = {}) => {
    const params = cursor === undefined ? {} : { cursor };
    return readPage(source, await client.request("skills/list", params, options));
  };
  return {
    server,
    get isSupported() {
      return client.agreement.settings !== undefined;
    },
    get listsDirectories() {
      return listsDirectories(client);
    },
    list,
    all: (options) =>
      allItems(
        (cursor) => list({ ...options, cursor }) as Promise<SkillsPage & ListResult>,
        (page) => page.skills,
        () => undefined,
      ),
    get: source.get,
    readDirectory: (uri, options) => readDirectory(client, uri, options),
  };
}

function readPage(source: SkillSource, result: object): SkillsPage {
  const { skills: given, nextCursor } = result as { readonly skills?: unknown; readonly nextCursor?: unknown };
  if (!Array.isArray(given)) throw invalidResult("skills/list", "`skills` must be an array");
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== "string") {
    throw invalidResult("skills/list", "`nextCursor` must be a string");
  }
  const found = given.flatMap((each: unknown) => {
    try {
      return [new RemoteSkill(readEntry(each), source)];
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      source.client.diagnose({ level: "warning", message: `${error.message} It is left out.`, error });
      return [];
    }
  });
  return { skills: found, ...(typeof nextCursor === "string" && { nextCursor }) };
}

async function getSkill(source: SkillSource, uri: string, options?: RequestOptions): Promise<RemoteSkill> {
  const result = await source.client.request("skills/get", { uri }, options);
  const { skill } = result as { readonly skill?: unknown };
  if (!isObject(skill)) throw invalidResult("skills/get", "`skill` must be an object");
  const entry: Skill = readEntry(skill);
  if (entry.uri !== uri) throw invalidResult("skills/get", "the skill is another than the one that was asked for");
  return new RemoteSkill(entry, source);
}
