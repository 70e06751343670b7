import { isObject, readListParams, type Resource } from "@toolwire/protocol";
import { invalidParams, methodNotFound } from "../errors.ts";
import { readCursor, writeCursor } from "../registry/cursor.ts";
import { listResult } from "../registry/list-pages.ts";
import type { CompiledTemplate } from "../registry/resources.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers `resources/list`: resources of their own, then the members that families name. */
export function listResources(call: ServedRequest, params: object | undefined): object | Promise<object> {
  const { definition, revision } = call;
  if (definition.capabilities.resources === undefined) throw methodNotFound(call.method);
  const { cursor } = readListParams(params);
  const { families, pages } = definition.resources;
  const listed = [...families.values()].filter(({ list }) => list !== undefined);
  if (listed.length === 0) return pages.page(revision, cursor);
  return listWithMembers(call, cursor, listed);
}

const RESOURCES = { method: "resources/list", member: "resources" } as const;

/** What families name may differ from one request to the next, so these pages are counted, not prepared. */
async function listWithMembers(
  call: ServedRequest,
  cursor: string | undefined,
  families: readonly CompiledTemplate[],
): Promise<object> {
  const { settings, single } = call.definition.resources;
  const start = cursor === undefined ? 0 : readCursor("members", cursor, Number.MAX_SAFE_INTEGER);
  const members = await Promise.all(families.map((family) => listMembers(call, family)));
  const all = [...single.values()].map(({ listing }) => listing).concat(members.flat());
  if (start > all.length) {
    throw invalidParams("Invalid cursor: the list has become shorter. Start again without a cursor.");
  }
  const end = start + settings.pageSize;
  const nextCursor = end < all.length ? writeCursor("members", end) : undefined;
  return listResult(call.revision, RESOURCES, all.slice(start, end), nextCursor, settings);
}

async function listMembers(call: ServedRequest, { name, listing, list }: CompiledTemplate): Promise<Resource[]> {
  const { uriTemplate: _, ...shared } = listing;
  const members = (await list?.(call)) ?? [];
  return members.filter(isObject).map((member) => ({ ...shared, name, ...member }) as Resource);
}
