import { isObject, expectFunction } from "@toolwire/protocol/internal";
import type { ListenParams } from "@toolwire/protocol";
import type { Awaitable } from "../define/tool.ts";
import type { Context } from "../define/context.ts";
import type { ServerMiddleware, ServerNext, RequestCall } from "../define/middleware.ts";
import { cutWatched } from "../subscriptions/subscriptions.ts";

/** A tool, prompt, resource or template that a caller wants to see or use. */
export type AccessSubject =
  | { readonly kind: "tool" | "prompt"; readonly name: string }
  | ResourceSubject
  /** A family of resources; `uri` is its template. Its members are checked one by one, as resources. */
  | { readonly kind: "template"; readonly uri: string; readonly name?: string | undefined };

/** A resource that a caller wants to see, read or watch. */
export interface ResourceSubject {
  readonly kind: "resource";
  /**
   * The URI of what is served, however the caller wrote it: for a member of a family, the template filled in with
   * {@link values}. Dots in paths stay as they are, as they do for `read`. A URI that belongs to no definition is as it came.
   */
  readonly uri: string;
  /** The name under which it, or its family, is defined; `undefined` if it belongs to no definition. */
  readonly name?: string | undefined;
  /** The values of the variables in the family's template: exactly what `read` gets. */
  readonly values?: { readonly [variable: string]: string | string[] | Record<string, string> } | undefined;
}

/** Decides whether this caller may see and use the subject. */
export type AccessRule = (subject: AccessSubject, ctx: Context) => Awaitable<boolean>;

/**
 * Middleware that lets callers see and use only what a rule allows. Lists contain only what is allowed. Anything else
 * is refused exactly as if it did not exist.
 *
 * @example
 * ```ts
 * accessControl((subject, ctx) => subject.kind !== "tool" || ctx.principal?.scopes?.includes(subject.name) === true)
 * ```
 */
export function accessControl(allows: AccessRule): ServerMiddleware {
  expectFunction("allows", allows);
  return async (call, next) => {
    // `async` turns synchronous errors of the rule into rejections.
    const check = async (subject: AccessSubject): Promise<boolean> => allows(subject, call.context);
    const list = LISTS.get(call.method);
    if (list !== undefined) return filterList(call, next, list, check);
    if (call.method === "subscriptions/listen") return next(await filterWatched(call, check));
    const subject = subjectOf(call);
    if (subject === undefined) return next();
    return (await check(subject)) ? keepPrivate(await next()) : call.refuseAsUnknown();
  };
}

type Check = (subject: AccessSubject) => Promise<boolean>;

/** An item of a list, as clients see it. */
type Item = { readonly [key: string]: unknown };

interface FilteredList {
  /** The member of the result that holds the items. */
  readonly member: string;
  /** The member of an item that tells it from others. */
  readonly key: string;
  readonly subjectOf: (item: Item, call: RequestCall) => AccessSubject;
}

/** By method, which comes from peers: hence a `Map`. */
const LISTS: ReadonlyMap<string, FilteredList> = new Map<string, FilteredList>([
  ["tools/list", { member: "tools", key: "name", subjectOf: ({ name }) => ({ kind: "tool", name: String(name) }) }],
  [
    "prompts/list",
    { member: "prompts", key: "name", subjectOf: ({ name }) => ({ kind: "prompt", name: String(name) }) },
  ],
  ["resources/list", { member: "resources", key: "uri", subjectOf: ({ uri }, call) => resourceOf(call, String(uri)) }],
  [
    "resources/templates/list",
    {
      member: "resourceTemplates",
      key: "uriTemplate",
      subjectOf: ({ uriTemplate }, call) => templateOf(call, String(uriTemplate)),
    },
  ],
]);

/**
 * A list without the items that the caller may not see. The handler fills its pages with visible items. Items that other
 * middleware has added are checked afterwards.
 */
async function filterList(call: RequestCall, next: ServerNext, list: FilteredList, check: Check): Promise<object> {
  const { member, key, subjectOf: describe } = list;
  const verdicts = new Map<unknown, Promise<boolean>>();
  const shows = (item: Item): Promise<boolean> => {
    const known = verdicts.get(item[key]);
    if (known !== undefined) return known;
    const verdict = check(describe(item, call));
    verdicts.set(item[key], verdict);
    return verdict;
  };
  call.showOnly((item) => shows(item as Item));
  const result = await next();
  const items = (result as { readonly [member: string]: readonly Item[] })[member] ?? [];
  const isShown = await Promise.all(items.map(shows));
  return { ...result, [member]: items.filter((_, index) => isShown[index]), cacheScope: "private" };
}

/** Keeps caches from sharing a result: callers may see different ones. */
function keepPrivate(result: object): object {
  return "cacheScope" in result ? { ...result, cacheScope: "private" } : result;
}

/** The parameters of a subscription without the resources that the caller may not watch. */
async function filterWatched(call: RequestCall, check: Check): Promise<object | undefined> {
  const { notifications } = (call.params ?? {}) as Partial<ListenParams>;
  const named: unknown = notifications?.resourceSubscriptions;
  // The handler refuses malformed parameters.
  if (!Array.isArray(named) || !named.every((uri) => typeof uri === "string")) return undefined;
  const uris = cutWatched(named);
  const verdicts = await Promise.all(uris.map((uri) => check(resourceOf(call, uri))));
  const resourceSubscriptions = uris.filter((_, index) => verdicts[index]);
  return { ...call.params, notifications: { ...notifications, resourceSubscriptions } };
}

/** The subject of a request; `undefined` if it has none, or is malformed: then its handler refuses it. */
function subjectOf(call: RequestCall): AccessSubject | undefined {
  const { method, params } = call;
  const { name, uri, ref } = (params ?? {}) as { name?: unknown; uri?: unknown; ref?: unknown };
  if (method === "tools/call" && typeof name === "string") return { kind: "tool", name };
  if (method === "prompts/get" && typeof name === "string") return { kind: "prompt", name };
  if ((method === "resources/read" || method === "resources/subscribe") && typeof uri === "string") {
    return resourceOf(call, uri);
  }
  if (method !== "completion/complete" || !isObject(ref)) return undefined;
  if (ref["type"] === "ref/prompt") return { kind: "prompt", name: String(ref["name"]) };
  return templateOf(call, String(ref["uri"]));
}

/** A resource as its handler will see it. A rule that saw the URI of the caller could be evaded with `%65` for `e`. */
function resourceOf(call: RequestCall, uri: string): ResourceSubject {
  const found = call.findResource(uri);
  return found === undefined ? { kind: "resource", uri } : { kind: "resource", ...found };
}

function templateOf(call: RequestCall, uri: string): AccessSubject {
  return { kind: "template", uri, name: call.findTemplate(uri) };
}
