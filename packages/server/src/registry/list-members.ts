import { isObject } from "@toolwire/protocol/internal";
import { UsageError, type Resource } from "@toolwire/protocol";
import { describeKind } from "../definition/describe-kind.ts";
import type { Context } from "../request/context.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { listResult } from "./list-pages.ts";
import { countBefore, readMemberCursor, writeMemberCursor } from "./member-cursor.ts";
import type { CompiledTemplate, RegisteredResources } from "./resources.ts";
import { pageOfShown, takeShown, type Shows, type ShownPage } from "./shown-entries.ts";

const RESOURCES = { method: "resources/list", member: "resources" } as const;

/**
 * A page of the resources with a URI of their own, and of the members that families name.
 *
 * What families name may differ from one request to the next, so these pages are not prepared. Families are asked one after
 * the other, and only those that a page has room for; or, if some members are hidden from the caller, until one is found that
 * is not, because a further page with nothing on it would tell of them.
 */
export async function listWithMembers(
  ctx: Context,
  cursor: string | undefined,
  resources: RegisteredResources,
): Promise<object> {
  const { settings, families } = resources;
  const finish = (items: readonly object[], nextCursor?: string): object =>
    listResult(ctx.revision, RESOURCES, items, nextCursor, settings);
  const call = ctx as ServedRequest;
  const { shows } = call;
  const place = cursor === undefined ? undefined : await readMemberCursor(call, cursor);
  let items: readonly object[] = [];
  if (place === undefined) {
    const page = await listSingle(cursor, resources, shows);
    if (page.nextCursor !== undefined) return finish(page.items, page.nextCursor);
    items = page.items;
  }
  for (const family of families.values()) {
    const { order, list } = family;
    if (list === undefined || (place !== undefined && order < place.order)) continue;
    const room = settings.pageSize - items.length;
    if (room <= 0 && shows === undefined) {
      return finish(items, await writeMemberCursor(call, { order, shown: 0, lastUri: "" }));
    }
    const members = await listMembers(call, family);
    const start = place?.order === order ? countBefore(members, place) : 0;
    const canBeRead = ({ uri }: Resource): boolean => isReadable(uri, family, resources) || leaveOut(call, family, uri);
    const { taken, hasMore } = await takeMembers(members.slice(start), room, canBeRead, shows);
    items = [...items, ...taken.filter(canBeRead)];
    if (!hasMore) continue;
    const last = taken.at(-1);
    const shown = last === undefined ? start : members.indexOf(last, start) + 1;
    return finish(items, await writeMemberCursor(call, { order, shown, lastUri: last?.uri ?? "" }));
  }
  return finish(items);
}

/** A page of the resources with a URI of their own. */
async function listSingle(
  cursor: string | undefined,
  { settings, single, lastOrder }: RegisteredResources,
  shows: Shows | undefined,
): Promise<ShownPage> {
  const { member } = RESOURCES;
  const entries = [...single.values()];
  if (shows !== undefined) return pageOfShown(member, entries, cursor, settings.pageSize, shows);
  const after = cursor === undefined ? 0 : readCursor(member, cursor, lastOrder);
  const rest = entries.filter(({ order }) => order > after);
  const taken = rest.slice(0, settings.pageSize);
  const last = taken.at(-1);
  const hasMore = last !== undefined && rest.length > taken.length;
  return {
    items: taken.map(({ listing }) => listing),
    nextCursor: hasMore ? writeCursor(member, last.order) : undefined,
  };
}

/**
 * The next members of a family, of which some may turn out to be unreadable; or, if some are hidden from the caller, those
 * that it may see and read.
 */
async function takeMembers(
  members: readonly Resource[],
  room: number,
  canBeRead: (member: Resource) => boolean,
  shows: Shows | undefined,
): Promise<{ readonly taken: readonly Resource[]; readonly hasMore: boolean }> {
  if (shows === undefined) return { taken: members.slice(0, room), hasMore: members.length > room };
  return takeShown(members, room, async (member) => canBeRead(member) && shows(member));
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
