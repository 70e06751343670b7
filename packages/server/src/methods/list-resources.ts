import { readListParams } from "@toolwire/protocol";
import { methodNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers `resources/list`: resources of their own, then the members that families name. */
export function listResources(call: ServedRequest, params: object | undefined): object | Promise<object> {
  const { definition, method, revision } = call;
  if (definition.capabilities.resources === undefined) throw methodNotFound(method);
  const { cursor } = readListParams(params);
  const { families, pages } = definition.resources;
  const listed = [...families.values()].filter(({ list }) => list !== undefined);
  return listed[0]?.listAll(call, cursor, listed) ?? pages.page(revision, cursor);
}
