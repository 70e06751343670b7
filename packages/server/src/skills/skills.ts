import {
  SKILLS_EXTENSION,
  type GetSkillResult,
  type ListSkillsResult,
  type ReadDirectoryResult,
} from "@toolwire/protocol/skills";
import { method, type ExtensionMethod, type ServerExtension } from "../define/extension.ts";
import { resource } from "../define/resource.ts";
import { readOptions, type SkillsOptions } from "./options.ts";
import { readCatalog, SkillService, type SkillCatalog } from "./service.ts";
import type { SkillDefinition } from "./skill.ts";

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
