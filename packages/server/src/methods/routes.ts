import { methodNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { callTool } from "./tools.ts";
import { discover } from "./discovery.ts";
import { listEntries } from "./lists.ts";
import { onDemand } from "./on-demand.ts";

/** Answers the requests of one method. Returns a fresh object, or one that is prepared. */
export type Handler = (call: ServedRequest, params: object | undefined) => object | Promise<object>;

/** How requests of one method are answered in one revision. */
export interface Route {
  readonly handle: Handler;
  /** Turns the result into what the revision can express. Modern results are written as they have to be. */
  readonly translate?: ((result: object) => object) | undefined;
  /** Whether results say how long they stay fresh, in the modern era. */
  readonly isCacheable?: boolean;
}

/** What all revisions have. */
export const SHARED_HANDLERS: { readonly [method: string]: Handler } = {
  "tools/call": callTool,
  "tools/list": listEntries("tools", ({ tools }) => tools.pages),
  "resources/read": onDemand("readResource"),
  "resources/list": onDemand("listResources"),
  "resources/templates/list": listEntries("resources", ({ resources }) => resources.templatePages),
  "prompts/get": onDemand("getPrompt"),
  "prompts/list": listEntries("prompts", ({ prompts }) => prompts.pages),
  "completion/complete": onDemand("complete"),
};

/** What only the modern era has. */
const MODERN_HANDLERS: { readonly [method: string]: Handler } = {
  "server/discover": discover,
  "subscriptions/listen": onDemand("listen"),
};

/** All that the modern era serves, by method. Methods come from peers, so this is a `Map`. */
export const MODERN_ROUTES: ReadonlyMap<string, Route> = new Map(
  Object.entries({ ...SHARED_HANDLERS, ...MODERN_HANDLERS }).map(([method, handle]) => [
    method,
    { handle, isCacheable: /list$|read$|discover$/.test(method) },
  ]),
);

/** Whether a method came with the modern era. */
export function isModernOnly(method: string): boolean {
  return Object.hasOwn(MODERN_HANDLERS, method);
}

/** The route of methods that nobody serves. */
export const UNKNOWN_METHOD: Route = {
  handle(call) {
    throw methodNotFound(call.method);
  },
};
