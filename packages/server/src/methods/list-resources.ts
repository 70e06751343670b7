import { readListParams } from "@toolwire/protocol/internal";
import type { ServedRequest } from "../request/served-request.ts";
import { expectKind } from "./expect-kind.ts";

/** Answers `resources/list`: resources of their own, then the members that families name. */
export function listResources(call: ServedRequest, params: object | undefined): object | Promise<object> {
  const { definition, revision, shows } = call;
  expectKind(call, "resources");
  const { cursor } = readListParams(params);
  const { resources } = definition;
  const family = [...resources.families.values()].find(({ list }) => list !== undefined);
  if (family !== undefined) return family.listAll(call, cursor, resources);
  return shows === undefined
    ? resources.pages.page(revision, cursor)
    : resources.pages.shownPage(revision, cursor, shows);
}
