import { isDeclaredIn } from "../extensions/compiled-extensions.ts";
import { declares } from "../extensions/declares.ts";
import type { ListedItems } from "../define/extension.ts";
import { readListParams } from "@toolwire/protocol/internal";
import type { Definition } from "../registry/definition.ts";
import type { IsShown, ListPages } from "../registry/pages.ts";
import { expectKind } from "../request/errors.ts";
import type { Handler } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers requests for a list whose pages are prepared, if the server has things of the kind. */
export function listEntries(kind: keyof ListedItems, pagesOf: (definition: Definition) => ListPages): Handler {
  return (request, params) => {
    expectKind(request, kind === "resourceTemplates" ? "resources" : kind);
    const { cursor } = readListParams(params);
    return listPage(request, kind, pagesOf(request.definition), cursor);
  };
}

/** One page of a list: a prepared one, unless the caller sees a part of the list only. */
export function listPage(
  request: ServedRequest,
  kind: keyof ListedItems,
  pages: ListPages,
  cursor: string | undefined,
): object | Promise<object> {
  const isShown = shownTo(request, kind);
  return isShown === undefined ? pages.page(request, cursor) : pages.shownPage(request.revision, cursor, isShown);
}

/** Whether the caller sees an item of a list: by middleware, and by the extensions that its client declares. */
export function shownTo(request: ServedRequest, kind: keyof ListedItems): IsShown | undefined {
  const { isShown, isWhole, definition, clientCapabilities, revision } = request;
  const { hiding = [] } = definition.extensions ?? {};
  if (hiding.length === 0 || isWhole) return isShown;
  const declared = hiding.filter(
    (extension) => declares(clientCapabilities, extension.id) && isDeclaredIn(extension, revision),
  );
  if (declared.length === 0) return isShown;
  return async (item) => {
    if (isShown !== undefined && !(await isShown(item))) return false;
    for (const { hides } of declared) if (await hides?.(kind, item as never, request.context)) return false;
    return true;
  };
}
