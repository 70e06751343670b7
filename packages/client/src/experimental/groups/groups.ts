import { eraOf, type Group, type ListResult } from "@toolwire/protocol";
import { expectLimit, expectOptions, GROUPS_ID } from "@toolwire/protocol/internal";
import type { RequestOptions } from "../../call-options.ts";
import { allItems } from "../../calls/pages.ts";
import type { ClientExtension, ExtensionClient } from "../../extensions/extension.ts";
import { invalidResult } from "../../messages/results.ts";
import { type OpenGroup, readGroup, readGroups } from "./read-group.ts";

/** The options of a request for one page of groups. */
export interface GroupListOptions extends RequestOptions {
  /** The `nextCursor` of the previous page. Absent for the first page. */
  readonly cursor?: string | undefined;
}

/** A page of groups. */
export interface GroupsPage {
  readonly groups: readonly Group[];
  readonly nextCursor?: string | undefined;
}

/** The options of {@link GroupsApi.walk}. */
export interface WalkOptions {
  /** How deep to go; groups that the server lists are at 1. Default 4. */
  readonly maxDepth?: number | undefined;
  /** The most groups to get. Default 1000. */
  readonly maxGroups?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The API of the extension, returned by `client.use(groups)`. */
export interface GroupsApi {
  /** Whether the server declares the extension. If not, it lists everything. After a reconnect, it is what the server says then. */
  readonly isSupported: boolean;
  /** Lists a page of groups, and gets none. */
  list(options?: GroupListOptions): Promise<GroupsPage>;
  /** Iterates over all groups that the server lists, page by page, and gets none. Those inside of others come with these. */
  all(options?: RequestOptions): AsyncIterable<Group>;
  /**
   * Gets a group. Nothing changes on the server by that, and nothing is called: your application decides what its model sees of the group.
   * Rejects with an `RpcError` of the code -32002 if there is none.
   */
  get(name: string, options?: RequestOptions): Promise<OpenGroup>;
  /** Gets all groups, and those inside of them, each once, level by level. Most applications need only those that the model chooses. */
  walk(options?: WalkOptions): AsyncIterable<OpenGroup>;
}

/**
 * Finds tools, prompts and resources group by group, where a server has more than a model should see at once
 * (`io.modelcontextprotocol/groups`, a draft of September 2026). Servers that have groups leave out of their lists what is in them, for
 * clients with this extension. Experimental: it changes when the draft does.
 *
 * @example
 * ```ts
 * const client = await connect("https://example.com/mcp", { extensions: [groups] });
 * for await (const { name, description } of client.use(groups).all()) console.log(name, description);
 * const { instructions, tools } = await client.use(groups).get("calendar");
 * ```
 */
export const groups: ClientExtension<GroupsApi> = {
  id: GROUPS_ID,
  settings: (revision) => (eraOf(revision) === "modern" ? {} : undefined),
  methods: { "groups/list": {}, "groups/get": {} },
  api: createApi,
};

function createApi(client: ExtensionClient): GroupsApi {
  const list: GroupsApi["list"] = async ({ cursor, ...options } = {}) => {
    const result = await client.request("groups/list", cursor === undefined ? {} : { cursor }, options);
    const { groups: given, nextCursor } = result as { readonly groups?: unknown; readonly nextCursor?: unknown };
    if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== "string") {
      throw invalidResult("groups/list", "`nextCursor` must be a string");
    }
    const page = { groups: readGroups(given, "groups/list", client) };
    return typeof nextCursor === "string" ? { ...page, nextCursor } : page;
  };
  const all: GroupsApi["all"] = (options) =>
    allItems(
      (cursor) => list({ ...options, cursor }) as Promise<GroupsPage & ListResult>,
      (page) => page.groups,
      () => undefined,
    );
  const get: GroupsApi["get"] = async (name, options) =>
    readGroup(name, await client.request("groups/get", { name }, options), client);
  return {
    get isSupported() {
      return client.agreement.settings !== undefined;
    },
    list,
    all,
    get,
    walk: (options) => walk({ all, get }, options),
  };
}

/** Goes through groups level by level. A server may put groups into each other, so each is got once. */
async function* walk(
  { all, get }: Pick<GroupsApi, "all" | "get">,
  options: WalkOptions = {},
): AsyncGenerator<OpenGroup, void, undefined> {
  expectOptions("walk", options, { maxDepth: true, maxGroups: true, signal: true });
  const maxDepth = expectLimit("maxDepth", options.maxDepth, 4);
  const maxGroups = expectLimit("maxGroups", options.maxGroups, 1000);
  const { signal } = options;
  const seen = new Set<string>();
  let level: string[] = [];
  const add = (name: string): void => {
    if (seen.has(name) || seen.size >= maxGroups) return;
    seen.add(name);
    level.push(name);
  };
  for await (const { name } of all({ signal })) {
    add(name);
    if (seen.size >= maxGroups) break;
  }
  for (let depth = 1; depth <= maxDepth && level.length > 0; depth += 1) {
    const names = level;
    level = [];
    for (const name of names) {
      const group = await get(name, { signal });
      for (const inside of group.groups) add(inside.name);
      yield group;
    }
  }
}
