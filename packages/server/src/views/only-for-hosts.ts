import { FLAT_VIEW_META, VIEW_META, VIEW_MIME_TYPE, VIEW_SCHEME, VIEWS_EXTENSION } from "@toolwire/protocol/views";
import type { ClientCapabilities, Meta, Tool } from "@toolwire/protocol";
import type { ServerExtension } from "../define/extension.ts";
import type { RequestCall, ServerMiddleware, ServerNext } from "../define/middleware.ts";
import { catalogOf } from "./views.ts";

/**
 * Middleware that shows views only to clients that can show them, as they declare. Others get a server without views: tools that are not
 * for the model do not exist for them, since they would give them to the model.
 *
 * @example
 * ```ts
 * const apps = views();
 * createServer({ extensions: [apps], middleware: [onlyForHosts(apps)], … });
 * ```
 */
export function onlyForHosts(extension: ServerExtension): ServerMiddleware {
  const { forViewsOnly } = catalogOf(extension);
  return async (call, next) => {
    const isHost = showsViews(call.context.clientCapabilities);
    if (call.method === "tools/list") {
      return list(call, next, isHost, "tools", (tool) => !forViewsOnly.has((tool as Tool).name));
    }
    if (call.method === "resources/list") {
      return list(call, next, isHost, "resources", (item) => !(item as { uri: string }).uri.startsWith(VIEW_SCHEME));
    }
    if (isHost || call.method !== "tools/call") return next();
    const { name } = (call.params ?? {}) as { readonly name?: unknown };
    return typeof name === "string" && forViewsOnly.has(name) ? call.refuseAsUnknown() : next();
  };
}

/** Whether a client declares that it shows views of the type that there is. */
export function showsViews({ extensions }: ClientCapabilities): boolean {
  const { mimeTypes } = (extensions?.[VIEWS_EXTENSION] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(VIEW_MIME_TYPE);
}

/** A list of which clients see different parts, so that no cache may share it. */
async function list(
  call: RequestCall,
  next: ServerNext,
  isHost: boolean,
  member: "tools" | "resources",
  isForOthers: (item: object) => boolean,
): Promise<object> {
  call.showOnly((item) => isHost || isForOthers(item));
  const result = (await next()) as { readonly [member: string]: readonly object[] };
  const items = result[member] ?? [];
  return {
    ...result,
    [member]: isHost ? items : items.filter(isForOthers).map(withoutView),
    cacheScope: "private",
  };
}

function withoutView(item: object): object {
  const { _meta: meta, ...rest } = item as { readonly _meta?: Meta | undefined };
  if (meta === undefined) return item;
  const { [VIEW_META]: _, [FLAT_VIEW_META]: __, ...others } = meta;
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others };
}
