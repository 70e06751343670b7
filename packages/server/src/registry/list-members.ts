import { isObject, UsageError, type Resource } from "@toolwire/protocol";
import { describeKind } from "../definition/describe-kind.ts";
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
  resources: RegisteredResources,
): Promise<object> {
  const { settings, single, families, lastOrder } = resources;
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
    const members = await listMembers(call, family);
    const start = place?.order === order ? countBefore(members, place) : 0;
    const shown = members.slice(start, start + room);
    items = items.concat(shown.filter(({ uri }) => isReadable(uri, family, resources) || leaveOut(call, family, uri)));
    const end = start + shown.length;
    const last = shown.at(-1);
    if (last !== undefined && end < members.length) {
      return finish(items, await writeMemberCursor(call, { order, shown: end, lastUri: last.uri }));
    }
  }
  return finish(items);
}

async function listMembers(call: ServedRequest, family: CompiledTemplate): Promise<Resource[]> {
  const { name, listing, list } = family;
  const { uriTemplate: _, ...shared } = listing;
  const members: unknown = (await list?.(call)) ?? [];
  if (!Array.isArray(members)) {
    const returned = describeKind(members);
    throw new UsageError(
      "INVALID_ARGUMENT",
      `resource "${name}": \`list\` returned ${returned}, but must return an array of resources, such as [{ uri }].`,
    );
  }
  return members
    .filter(
      (member: unknown) => (isObject(member) && typeof member["uri"] === "string") || leaveOut(call, family, member),
    )
    .map((member: object) => ({ ...shared, name, ...member }) as Resource);
}

/** Whether a listed URI can be read: by the family that lists it, or by another definition of the server. */
function isReadable(uri: string, family: CompiledTemplate, { single, families }: RegisteredResources): boolean {
  if (family.match(uri) !== undefined || single.has(uri)) return true;
  return [...families.values()].some((other) => other.match(uri) !== undefined);
}

/** Families of which it was reported that they list what nobody can read. */
const reported = new WeakSet<CompiledTemplate>();

/**
 * Tells the operator, once for each family, of a member that is not listed: clients that tried to read it would only learn
 * that there is no such resource. Returns false, for filters.
 */
function leaveOut(call: ServedRequest, family: CompiledTemplate, member: unknown): false {
  if (reported.has(family)) return false;
  reported.add(family);
  const { name, listing } = family;
  const shown = typeof member === "string" ? JSON.stringify(member) : `${describeKind(member)} without a \`uri\``;
  call.definition.diagnose({
    level: "warning",
    message:
      `resource "${name}": \`list\` returned ${shown}, which its template ${listing.uriTemplate} does not match, ` +
      "so nobody could read it. It is left out of lists, as are others like it.",
  });
  return false;
}
