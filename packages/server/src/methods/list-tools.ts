import { readListParams } from "@toolwire/protocol";
import { methodNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers `tools/list`. */
export function listTools(call: ServedRequest, params: object | undefined): object {
  const { definition, revision } = call;
  if (definition.capabilities.tools === undefined) throw methodNotFound(call.method);
  definition.schemas.preload();
  return definition.tools.pages.page(revision, readListParams(params).cursor);
}
