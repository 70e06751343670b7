import { sealOf } from "../input/server-seal.ts";
import { hasScopes } from "../request/scopes.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { isObject, describeKind } from "@toolwire/protocol/internal";
import { UsageError, type Resource } from "@toolwire/protocol";
import { readCursor, writeCursor } from "../registry/cursors.ts";
import type { CompiledTemplate } from "../registry/compile-resource.ts";
import type { ResourceRegistry } from "../registry/resources.ts";
import { listIn, listResult, pageOfShown, takeShown, type IsShown, type ShownPage } from "../registry/pages.ts";

/** Where a list goes on among the members of a family. */
export interface MemberPlace {
  /** The number of the family. */
  readonly order: number;
  /** How many of its members were shown. */
  readonly shown: number;
  /** The URI of the last one. Members before it may come and go between two pages. */
  readonly lastUri: string;
}

/** Sealed text is padded to a multiple of this length. Otherwise its length would tell the length of a URI. */
const STEP = 256;

/** Cursors do not expire, unlike the state of questions, so they are sealed at the latest possible time. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Writes a cursor for a place. Like other cursors, it contains everything that is needed to continue. It is sealed,
 * because middleware may hide the last URI from the caller.
 */
export function writeMemberCursor(request: ServedRequest, { order, shown, lastUri }: MemberPlace): Promise<string> {
  const text = encodeURIComponent(JSON.stringify([order, shown, lastUri]));
  const padded = text.padEnd(Math.ceil(text.length / STEP) * STEP);
  return sealOf(request.definition).seal(padded, contextOf(request), NEVER);
}

/** Reads the place in a cursor; `undefined` if the cursor is not for members, or was given to another caller. */
export async function readMemberCursor(request: ServedRequest, cursor: string): Promise<MemberPlace | undefined> {
  const opened = await sealOf(request.definition).open(cursor, contextOf(request));
  if (opened === undefined) return undefined;
  const fields = JSON.parse(decodeURIComponent(opened.value as string)) as [number, number, string];
  return { order: fields[0], shown: fields[1], lastUri: fields[2] };
}

function contextOf({ definition, principal }: ServedRequest): string {
  return JSON.stringify(["cursor", definition.info.name, principal?.id]);
}

/** Counts the members before a place in the current list. */
export function countBefore(members: readonly { readonly uri: string }[], { shown, lastUri }: MemberPlace): number {
  // The common case: nothing has changed. A URI may be listed twice.
  if (shown === 0 || members[shown - 1]?.uri === lastUri) return shown;
  const found = members.findIndex(({ uri }) => uri === lastUri);
  // If the last member is gone, the next one has taken its place.
  return found === -1 ? shown - 1 : found + 1;
}

/** The member of the result that holds the items. */
const MEMBER = "resources";

/**
 * A page of the resources with a URI of their own, and of the members that families list.
 *
 * Families may list other members for each request, so these pages are not prepared. Families are called one after the
 * other, as long as the page has room; those whose scopes the caller lacks are left out. If some members are hidden from the
 * caller, further families are called until a visible member is found: an empty last page would tell of hidden ones.
 */
export async function listWithMembers(request: ServedRequest, cursor: string | undefined): Promise<object> {
  const { isShown } = request;
  const { resources } = request.definition;
  const { settings, families } = resources;
  // Callers with other scopes see other members.
  const isPrivate = [...families.values()].some(({ list, scopes }) => list !== undefined && scopes !== undefined);
  const finish = (items: readonly object[], nextCursor?: string): object => ({
    ...listResult(MEMBER, listIn(settings, items, request.revision), nextCursor, settings),
    ...((isPrivate || request.scopes !== undefined) && { cacheScope: "private" }),
  });
  const place = cursor === undefined ? undefined : await readMemberCursor(request, cursor);
  let items: readonly object[] = [];
  if (place === undefined) {
    const page = await listSingle(cursor, resources, isShown);
    if (page.nextCursor !== undefined) return finish(page.items, page.nextCursor);
    items = page.items;
  }
  for (const family of families.values()) {
    const { order, list, scopes } = family;
    if (list === undefined || (place !== undefined && order < place.order)) continue;
    // Its template is listed for everybody. The members are what the scopes are for, as completions are.
    if (scopes !== undefined && !hasScopes(request, scopes)) continue;
    const room = settings.pageSize - items.length;
    if (room <= 0 && isShown === undefined) {
      return finish(items, await writeMemberCursor(request, { order, shown: 0, lastUri: "" }));
    }
    const members = await listMembers(request, family);
    const start = place?.order === order ? countBefore(members, place) : 0;
    const canBeRead = ({ uri }: Resource): boolean =>
      isReadable(uri, family, resources) || leaveOut(request, family, uri);
    const { taken, hasMore } = await takeMembers(members.slice(start), room, canBeRead, isShown);
    items = [...items, ...taken.filter(canBeRead)];
    if (!hasMore) continue;
    const last = taken.at(-1);
    const shown = last === undefined ? start : members.indexOf(last, start) + 1;
    return finish(items, await writeMemberCursor(request, { order, shown, lastUri: last?.uri ?? "" }));
  }
  return finish(items);
}

/** A page of the resources with a URI of their own. */
async function listSingle(
  cursor: string | undefined,
  { settings, single, lastOrder }: ResourceRegistry,
  shows: IsShown | undefined,
): Promise<ShownPage> {
  const entries = [...single.values()];
  if (shows !== undefined) return pageOfShown(MEMBER, entries, cursor, settings.pageSize, shows);
  const after = cursor === undefined ? 0 : readCursor(MEMBER, cursor, lastOrder);
  const rest = entries.filter(({ order }) => order > after);
  const taken = rest.slice(0, settings.pageSize);
  const last = taken.at(-1);
  const hasMore = last !== undefined && rest.length > taken.length;
  return {
    items: taken.map(({ listing }) => listing),
    nextCursor: hasMore ? writeCursor(MEMBER, last.order) : undefined,
  };
}

/**
 * Takes the next members of a family. Some may be unreadable, unless some are hidden from the caller: then only members
 * that the caller may see and read are taken.
 */
async function takeMembers(
  members: readonly Resource[],
  room: number,
  canBeRead: (member: Resource) => boolean,
  shows: IsShown | undefined,
): Promise<{ readonly taken: readonly Resource[]; readonly hasMore: boolean }> {
  if (shows === undefined) return { taken: members.slice(0, room), hasMore: members.length > room };
  return takeShown(members, room, async (member) => canBeRead(member) && shows(member));
}

async function listMembers(request: ServedRequest, family: CompiledTemplate): Promise<Resource[]> {
  const { name, listing, list } = family;
  const { uriTemplate: _, ...shared } = listing;
  const members: unknown = (await list?.(request.context)) ?? [];
  if (!Array.isArray(members)) {
    const returned = describeKind(members);
    throw new UsageError(
      "INVALID_ARGUMENT",
      `resource "${name}": \`list\` returned ${returned}, but must return an array of resources, such as [{ uri }].`,
    );
  }
  return members
    .filter(
      (member: unknown) => (isObject(member) && typeof member["uri"] === "string") || leaveOut(request, family, member),
    )
    .map((member: object) => ({ ...shared, name, ...member }) as Resource);
}

/** Whether a listed URI can be read: by the family that lists it, or by another definition of the server. */
function isReadable(uri: string, family: CompiledTemplate, { single, families }: ResourceRegistry): boolean {
  if (family.match(uri) !== undefined || single.has(uri)) return true;
  return [...families.values()].some((other) => other.match(uri) !== undefined);
}

/** The families that were reported for listing members that cannot be read. */
const reported = new WeakSet<CompiledTemplate>();

/**
 * Tells the operator, once per family, of a member that is left out because clients could not read it. Returns false, for
 * filters.
 */
function leaveOut(request: ServedRequest, family: CompiledTemplate, member: unknown): false {
  if (reported.has(family)) return false;
  reported.add(family);
  const { name, listing } = family;
  const shown = typeof member === "string" ? JSON.stringify(member) : `${describeKind(member)} without a \`uri\``;
  request.definition.diagnose({
    level: "warning",
    message:
      `resource "${name}": \`list\` returned ${shown}, which its template ${listing.uriTemplate} does not match, ` +
      "so nobody could read it. It is left out of lists, as are others like it.",
  });
  return false;
}
