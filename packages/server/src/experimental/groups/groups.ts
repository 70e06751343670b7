import { eraOf, ErrorCode, type GroupList, type GroupResult, RpcError } from "@toolwire/protocol";
import { expectLimit, expectOptions, GROUPS_ID, quoteWords } from "@toolwire/protocol/internal";
import { type ExtensionMethod, method, type ServerExtension } from "../../define/extension.ts";
import { invalidParams } from "../../errors.ts";
import { pageOfShown } from "../../registry/pages.ts";
import { groupListing, GroupView, isMember, KINDS, nameOf, type Scoped } from "./group-view.ts";
import { checkGroups, type GroupDefinitions, type GroupsOptions } from "./options.ts";

/** The methods of the extension. A type and no interface: it has no further methods, and `connect<typeof server>()` has to see that. */
export type GroupsMethods = {
  readonly "groups/list": ExtensionMethod<{ readonly cursor?: string | undefined }, GroupList>;
  readonly "groups/get": ExtensionMethod<{ readonly name: string }, GroupResult>;
};

/** The extension, whose methods `connect<typeof server>()` knows. */
export interface GroupsExtension extends ServerExtension<GroupsMethods> {
  readonly methods: GroupsMethods;
}

/**
 * Puts tools, prompts and resources into groups, so that clients do not have to list all of them at once. A client that declares the
 * extension finds what is in a group only by asking for the group; other clients list everything as before. Whatever is in a group can
 * be called, read and got by its name as ever: groups are no access control.
 *
 * It follows a draft of September 2026 (`io.modelcontextprotocol/groups`), and changes when that does.
 *
 * @throws UsageError if a group cannot be served, saying what to change
 *
 * @example
 * ```ts
 * const server = createServer({
 *   name: "office",
 *   version: "1.0.0",
 *   tools: { create_event, list_events, search },
 *   extensions: [
 *     groups({
 *       calendar: { description: "Looks at and changes the calendar.", tools: ["create_event", "list_events"] },
 *     }),
 *   ],
 * });
 * ```
 */
export function groups(definitions: GroupDefinitions, options: GroupsOptions = {}): GroupsExtension {
  checkGroups(definitions);
  expectOptions("groups", options, { pageSize: true });
  const pageSize = expectLimit("pageSize", options.pageSize, 1000);
  // A copy: later changes have no effect.
  const all: GroupDefinitions = { ...definitions };
  const nested = new Set(Object.values(all).flatMap(({ groups: inside = [] }) => inside));
  const topLevel = Object.keys(all)
    .filter((name) => !nested.has(name))
    .map((name, index) => ({ name, order: index + 1, listing: groupListing(name, all[name]!) }));
  return {
    id: GROUPS_ID,
    // The draft is one for 2026-07-28: clients of earlier revisions see no groups.
    settings: (revision) => (eraOf(revision) === "modern" ? {} : undefined),
    hides: (kind, item, ctx) => {
      if (!KINDS.includes(kind as keyof Scoped)) return false;
      const scoped = kind as keyof Scoped;
      const name = nameOf(scoped, item as Scoped[keyof Scoped]);
      return Object.values(all).some((group) => isMember(group[scoped], name, ctx));
    },
    methods: {
      "groups/list": method({
        isCacheable: true,
        handle: async (params, ctx, offers) => {
          const cursor = readText(params, "cursor", false);
          const view = await GroupView.open(all, ctx, offers);
          const isShown = async (item: object): Promise<boolean> => view.isVisible((item as { name: string }).name);
          const { items, nextCursor } = await pageOfShown("groups", topLevel, cursor, pageSize, isShown);
          return { groups: items, ...(nextCursor !== undefined && { nextCursor }) };
        },
      }) as GroupsMethods["groups/list"],
      "groups/get": method({
        isCacheable: true,
        handle: async (params, ctx, offers) => {
          const name = readText(params, "name", true) ?? "";
          const view = await GroupView.open(all, ctx, offers);
          const result = view.get(name);
          if (result !== undefined) return result;
          // The draft names this code, although the era has another one for resources. Groups that the caller may not see are not there.
          throw new RpcError(ErrorCode.ResourceNotFound, `Unknown group: ${quoteWords(name)}`, { data: { name } });
        },
      }) as GroupsMethods["groups/get"],
    },
  };
}

function readText(
  params: { readonly [param: string]: unknown },
  name: string,
  isRequired: boolean,
): string | undefined {
  const value = params[name];
  if (typeof value === "string" || (value === undefined && !isRequired)) return value;
  throw invalidParams(`\`${name}\` must be a string.`);
}
