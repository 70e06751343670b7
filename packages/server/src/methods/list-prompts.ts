import { readListParams } from "@toolwire/protocol";
import { methodNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers `prompts/list`. */
export function listPrompts(call: ServedRequest, params: object | undefined): object {
  const { definition, revision } = call;
  if (definition.capabilities.prompts === undefined) throw methodNotFound(call.method);
  return definition.prompts.page(revision, readListParams(params).cursor);
}
