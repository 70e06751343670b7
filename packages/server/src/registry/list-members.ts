import { isObject, type Resource } from "@toolwire/protocol";
import type { Context } from "../request/context.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { listResult } from "./list-pages.ts";
import { countBefore, readMemberCursor, writeMemberCursor } from "./member-cursor.ts";
import type { CompiledTemplate, RegisteredResources } from "./resources.ts";

const RESOURCES = { method: "resources/list", member: "resources" } as const;

/**
 * A page of the resources with a URI of their own, and of the members that families name.
 *
 * What families name may differ from one request to the next, so these pages are not prepared. Families are asked one after
 * the other, and only those that a page has room for.
 */
export async function listWithMembers(
  ctx: Context,
  cursor: string | undefined,
  { settings, single, families, lastOrder }: RegisteredResources,
): Promise<object> {
  const finish = (items: readonly object[], nextCursor?: string): object =>
    listResult(ctx.revision, RESOURCES, items, nextCursor, settings);
  const call = ctx as ServedRequest;
  const place = cursor === undefined ? undefined : await readMemberCursor(call, cursor);
  let items: Resource[] = [];
  if (place === undefined) {
    const after = cursor === undefined ? 0 : readCursor("resources", cursor, lastOrder);
    const rest = [...single.values()].filter(({ order }) => order > after);
    const shown = rest.slice(0, settings.pageSize);
    items = shown.map(({ listing }) => listing);
    const last = shown.at(-1);
    if (last !== undefined && rest.length > shown.length) return finish(items, writeCursor("resources", last.order));
  }
  for (const family of families.values()) {
    const { order, list } = family;
    if (list === undefined || (place !== undefined && order < place.order)) continue;
    const room = settings.pageSize - items.length;
    if (room <= 0) return finish(items, await writeMemberCursor(call, { order, shown: 0, lastUri: "" }));
    const members = await listMembers(ctx, family);
    const start = place?.order === order ? countBefore(members, place) : 0;
    const shown = members.slice(start, start + room);
    items = items.concat(shown);
    const end = start + shown.length;
    const last = shown.at(-1);
    if (last !== undefined && end < members.length) {
      return finish(items, await writeMemberCursor(call, { order, shown: end, lastUri: last.uri }));
    }
  }
  return finish(items);
}

async function listMembers(ctx: Context, { name, listing, list }: CompiledTemplate): Promise<Resource[]> {
  const { uriTemplate: _, ...shared } = listing;
  const members = (await list?.(ctx)) ?? [];
  return members.filter(isObject).map((member) => ({ ...shared, name, ...member }) as Resource);
}
