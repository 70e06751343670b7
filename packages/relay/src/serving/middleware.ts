import { isForModel } from "@toolwire/client/views";
import type { RequestCall, ServerMiddleware, ServerNext, Tool } from "@toolwire/server";
import { showsViews } from "@toolwire/server/views";
import type { Upstream } from "../upstream/upstream.ts";
import { FAMILY } from "./offered-resources.ts";
import type { Offered } from "./offered.ts";
import { textOf, Watches } from "./watches.ts";

/** Requests that need to know what upstreams list. */
const NEEDS_LISTS: ReadonlySet<string> = new Set([
  "initialize",
  "server/discover",
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "subscriptions/listen",
  "completion/complete",
]);

/**
 * Makes the middleware of a server that has offers of upstreams: it waits for them where a request needs them, hides from callers
 * what is not theirs, and has resources watched.
 */
export function createMiddleware(upstreams: readonly Upstream[], offered: Offered): ServerMiddleware {
  const watches = new Watches(offered.resources);
  const hidesToolsForViews = ({ context }: RequestCall): boolean =>
    offered.hasToolsForViews && !showsViews(context.clientCapabilities);
  const handle = async (call: RequestCall, next: ServerNext): Promise<object> => {
    const { method, context, params } = call;
    if (NEEDS_LISTS.has(method)) await Promise.all(upstreams.map((upstream) => prepare(upstream, call)));
    switch (method) {
      case "tools/list":
        if (offered.hidesSome(context)) call.showOnly((item) => offered.isListed("tools", nameOf(item), context));
        // A client that shows no views would give these tools to its model.
        if (hidesToolsForViews(call)) call.showOnly((item) => isForModel(item as Tool));
        break;
      case "prompts/list":
        if (offered.hidesSome(context)) call.showOnly((item) => offered.isListed("prompts", nameOf(item), context));
        break;
      case "resources/templates/list":
        call.showOnly((item) => nameOf(item) !== FAMILY && offered.isListed("templates", nameOf(item), context));
        break;
      case "tools/call":
        if (offered.isHidden("tools", call.tool?.name ?? "", context)) return call.refuseAsUnknown();
        if (call.tool !== undefined && !isForModel(call.tool) && hidesToolsForViews(call)) {
          return call.refuseAsUnknown();
        }
        break;
      case "prompts/get":
        if (offered.isHidden("prompts", textOf(params, "name") ?? "", context)) return call.refuseAsUnknown();
        break;
      case "resources/read": {
        const uri = textOf(params, "uri");
        if (uri !== undefined) offered.resources.noteWritten(context, uri);
        break;
      }
      case "resources/subscribe":
        return watches.subscribe(call, next);
      case "resources/unsubscribe":
        return watches.unsubscribe(call, next);
      case "tasks/cancel": {
        const result = await next();
        const id = textOf(params, "taskId") ?? "";
        // Our task is cancelled, so it was the caller's.
        for (const upstream of upstreams) for (const view of upstream.views) view.waiting.cancel(id);
        return result;
      }
      case "subscriptions/listen":
        return watches.listen(call, next);
      default:
    }
    return next();
  };
  return (call, next) => {
    // The fast path: a tool that is known, and that everybody may call.
    const isPlain = !offered.differs && !offered.hasToolsForViews;
    if (call.method === "tools/call" && call.tool !== undefined && isPlain) return next();
    return upstreams.length === 0 ? next() : handle(call, next);
  };
}

/** Lists for a caller what is not known yet. */
async function prepare(upstream: Upstream, { context }: RequestCall): Promise<void> {
  const view = upstream.viewOf(context.principal?.id);
  await view?.ready();
  await view?.catalog.prepareFor(context);
}

function nameOf(item: object): string {
  return String((item as { readonly name?: unknown }).name);
}
