import { UsageError, type ListResult, type Resource } from "@toolwire/protocol";
import { isObject, quoteWords } from "@toolwire/protocol/internal";
import { DIRECTORY_TYPE, SKILLS_EXTENSION, type Skill } from "@toolwire/protocol/skills";
import type { RequestOptions } from "../call-options.ts";
import { allItems } from "../calls/pages.ts";
import type { ExtensionClient } from "../extensions/extension.ts";
import { invalidResult } from "../messages/results.ts";
import { folderOf, isInFolder } from "./entry.ts";
import { SkillError } from "./errors.ts";
import { decode, encodePath, normalizePath } from "./references.ts";

/** Something in a folder of a skill. */
export interface SkillChild {
  readonly uri: string;
  readonly name: string;
  readonly isFolder: boolean;
}

/** Whether the server lists folders. */
export function listsDirectories({ agreement }: ExtensionClient): boolean {
  return agreement.settings?.["directoryRead"] === true;
}

/** Lists what is in a folder at the moment, page by page (`resources/directory/read`). */
export async function* readDirectory(
  client: ExtensionClient,
  uri: string,
  options?: RequestOptions,
): AsyncGenerator<Resource, void, undefined> {
  if (!listsDirectories(client)) {
    // Clients must not call it then (SEP-2640, Capability Negotiation).
    const message = `The server has not declared \`directoryRead\` for ${SKILLS_EXTENSION}, so it lists no folders.`;
    throw new UsageError("UNSUPPORTED", message);
  }
  yield* allItems(
    async (cursor) => {
      const params = { uri, ...(cursor !== undefined && { cursor }) };
      return readPage(await client.request("resources/directory/read", params, options));
    },
    ({ resources }) => resources,
    () => undefined,
  );
}

function readPage(result: object): ListResult & { readonly resources: readonly Resource[] } {
  const { resources, nextCursor } = result as { readonly resources?: unknown; readonly nextCursor?: unknown };
  const isFine =
    Array.isArray(resources) && resources.every((each: unknown) => isObject(each) && typeof each["uri"] === "string");
  if (isFine && (nextCursor === undefined || typeof nextCursor === "string")) {
    return { resources: resources as readonly Resource[], ...(nextCursor !== undefined && { nextCursor }) };
  }
  throw invalidResult(
    "resources/directory/read",
    "`resources` must be an array of objects with a `uri`, and `nextCursor` a string",
  );
}

/**
 * What is in a folder of a skill, in the order of names: what was listed of it, or, if nothing was, what the server says now. Things
 * elsewhere that the server lists there are left out.
 */
export async function listChildren(
  client: ExtensionClient,
  { uri: skill, resources }: Skill,
  folder: string,
  options?: RequestOptions,
): Promise<readonly SkillChild[]> {
  const path = normalizePath(folder);
  if (path === undefined) {
    throw new SkillError("UNLISTED_FILE", folder, `${quoteWords(folder)} leads out of the skill ${quoteWords(skill)}.`);
  }
  const depth = path === "" ? 0 : path.split("/").length;
  const root = folderOf(skill);
  const children = new Map<string, SkillChild>();
  const add = (file: string, isFolder: boolean): void => {
    const segments = file.slice(root.length + 1).split("/");
    const isBelow = path === "" || `${segments.map(decode).join("/")}/`.startsWith(`${path}/`);
    const name = decode(segments[depth] ?? "");
    if (!isBelow || name === "" || children.has(name)) return;
    const isDeeper = segments.length > depth + 1;
    const uri = `${root}/${segments.slice(0, depth + 1).join("/")}`;
    children.set(name, { uri, name, isFolder: isFolder || isDeeper });
  };
  if (resources === "dynamic") {
    const uri = path === "" ? root : `${root}/${encodePath(path)}`;
    for await (const child of readDirectory(client, uri, options)) {
      const isDirect = isInFolder(skill, child.uri) && child.uri.split("/").length === uri.split("/").length + 1;
      if (isDirect) add(child.uri, child.mimeType === DIRECTORY_TYPE);
    }
  } else for (const { uri } of resources) add(uri, false);
  return [...children.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
