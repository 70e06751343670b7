import { readListParams } from "@toolwire/protocol/internal";
import type { Definition } from "../registry/definition.ts";
import type { ListPages } from "../registry/pages.ts";
import { expectKind } from "../request/errors.ts";
import type { Handler } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers requests for a list whose pages are prepared, if the server has things of the kind. */
export function listEntries(
  kind: "tools" | "resources" | "prompts",
  pagesOf: (definition: Definition) => ListPages,
): Handler {
  return (request, params) => {
    expectKind(request, kind);
    const { cursor } = readListParams(params);
    return listPage(request, pagesOf(request.definition), cursor);
  };
}

/** One page of a list: a prepared one, unless the caller sees a part of the list only. */
export function listPage(
  request: ServedRequest,
  pages: ListPages,
  cursor: string | undefined,
): object | Promise<object> {
  const { isShown } = request;
  return isShown === undefined ? pages.page(request, cursor) : pages.shownPage(request.revision, cursor, isShown);
}
