import { methodNotFound } from "../errors.ts";
import type { Handler, Route } from "../request/request-era.ts";
import { complete } from "./completion.ts";
import { listEntries } from "./lists.ts";
import { getPrompt } from "./prompts.ts";
import { listResources, readResource } from "./resources.ts";
import { callTool } from "./tools.ts";

/** The methods that all revisions have. */
export const SHARED_HANDLERS: { readonly [method: string]: Handler } = {
  "tools/call": callTool,
  "tools/list": listEntries("tools", ({ tools }) => tools.pages),
  "resources/read": readResource,
  "resources/list": listResources,
  "resources/templates/list": listEntries("resourceTemplates", ({ resources }) => resources.templatePages),
  "prompts/get": getPrompt,
  "prompts/list": listEntries("prompts", ({ prompts }) => prompts.pages),
  "completion/complete": complete,
};

/** The methods whose results carry cache hints (2026-07-28, "Caching"). */
const CACHEABLE: readonly string[] = [
  "server/discover",
  "tools/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
];

/** Makes the route of a method. `translate` translates its result to an earlier revision. */
export function createRoute(method: string, handle: Handler, translate?: Route["translate"]): Route {
  return { handle, isToolCall: method === "tools/call", isCacheable: CACHEABLE.includes(method), translate };
}

/** The route of methods that are not served. */
export const UNKNOWN_METHOD: Route = createRoute("", ({ method }) => {
  throw methodNotFound(method);
});
