/** What a server offers to the caller of an extension's method: the lists that this caller could ask for. */
import { ErrorCode, RpcError } from "@toolwire/protocol";
import { PreparedJson } from "@toolwire/protocol/internal";
import type { ListedItems, Offers } from "../define/extension.ts";
import type { ServerReply } from "../origin.ts";
import { runMiddleware } from "../request/run-middleware.ts";
import { ServedRequest } from "../request/served-request.ts";
import { isThenable } from "../request/thenable.ts";
import { createRoute, SHARED_HANDLERS } from "./routes.ts";

const METHODS: { readonly [Kind in keyof ListedItems]: string } = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
};

/** The most pages that are read of one list: middleware may make a list that never ends. */
const MAX_PAGES = 1000;

const NOBODY: ServerReply = { respond() {}, notify() {} };

/** The offers to the caller of a request. */
export function offersTo(request: ServedRequest): Offers {
  return { list: (kind) => listAll(request, kind) };
}

/** Lists everything of a kind, as if the caller had asked for it page by page. */
async function listAll<Kind extends keyof ListedItems>(
  request: ServedRequest,
  kind: Kind,
): Promise<readonly ListedItems[Kind][]> {
  const items: ListedItems[Kind][] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await listPage(request, METHODS[kind], cursor);
    if (page === undefined) break;
    const listed = page[kind];
    if (Array.isArray(listed)) for (const item of listed) items.push(item as ListedItems[Kind]);
    cursor = typeof page["nextCursor"] === "string" ? page["nextCursor"] : undefined;
    if (cursor === undefined) break;
  }
  return items;
}

/**
 * Asks for a page in the name of a caller: middleware decides on it as on all others, and may have to find out first what there is.
 * `undefined` if the server has nothing of the kind.
 */
async function listPage(
  request: ServedRequest,
  method: string,
  cursor: string | undefined,
): Promise<{ readonly [member: string]: unknown } | undefined> {
  const { definition, message, origin, era, identity } = request;
  const { _meta } = (message.params ?? {}) as { readonly _meta?: unknown };
  const params = { ...(cursor !== undefined && { cursor }), ...(_meta !== undefined && { _meta }) };
  const route = createRoute(method, SHARED_HANDLERS[method]!);
  const listing = new ServedRequest(definition, { ...message, method, params }, NOBODY, origin, era, identity, route);
  listing.isWhole = true;
  const stop = { aborted: (reason: unknown) => listing.abort(reason) };
  request.onAbort(stop);
  try {
    const handle = async (given: object | undefined): Promise<object> => {
      const page = await route.handle(listing, given);
      return page instanceof PreparedJson ? (page.value as object) : page;
    };
    const { middleware } = definition;
    const listed = middleware === undefined ? handle(params) : runMiddleware(middleware, listing, undefined, handle);
    return (isThenable(listed) ? await listed : listed) as { readonly [member: string]: unknown };
  } catch (error) {
    if (error instanceof RpcError && error.code === ErrorCode.MethodNotFound) return undefined;
    throw error;
  } finally {
    request.offAbort(stop);
  }
}
