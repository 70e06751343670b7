import { readListParams } from "@toolwire/protocol";
import { methodNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers `resources/list`: resources of their own, then the members that families name. */
export function listResources(call: ServedRequest, params: object | undefined): object | Promise<object> {
  const { definition, method, revision } = call;
  if (definition.capabilities.resources === undefined) throw methodNotFound(method);
  const { cursor } = readListParams(params);
  const { resources } = definition;
  const family = [...resources.families.values()].find(({ list }) => list !== undefined);
  return family?.listAll(call, cursor, resources) ?? resources.pages.page(revision, cursor);
}
