import { isObject, type ListenParams } from "@toolwire/protocol";
import { expectFunction } from "../definition/expect-option.ts";
import type { Awaitable } from "../definition/tool.ts";
import { unknownName } from "../errors.ts";
import { resourceNotFound, unknownTemplate } from "../methods/unknown-resource.ts";
import { refuseUnknown } from "../methods/call-tool.ts";
import type { Context } from "../request/context.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Middleware, RequestCall } from "./middleware.ts";

/** A tool, prompt, resource or template that a caller wants to see or use. */
export type AccessSubject =
  | { readonly kind: "tool" | "prompt"; readonly name: string }
  | { readonly kind: "resource"; readonly uri: string }
  /** A family of resources; `uri` is its template. Its members are checked one by one, as resources. */
  | { readonly kind: "template"; readonly uri: string };

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
export function accessControl(allows: AccessRule): Middleware {
  expectFunction("allows", allows);
  return async (call, next) => {
    // `async` also makes a promise of what the rule throws at once.
    const check = async (subject: AccessSubject): Promise<boolean> => allows(subject, call.context);
    const list = LISTS.get(call.method);
    if (list !== undefined) return filterList(await next(), list, check);
    if (call.method === "subscriptions/listen") return next(await filterWatched(call, check));
    const subject = subjectOf(call);
    if (subject === undefined || (await check(subject))) return next();
    return refuse(call, subject);
  };
}

type Check = (subject: AccessSubject) => Promise<boolean>;

interface FilteredList {
  readonly member: string;
  readonly subjectOf: (item: { readonly [key: string]: unknown }) => AccessSubject;
}

/** By method, which comes from peers: hence a `Map`. */
const LISTS: ReadonlyMap<string, FilteredList> = new Map<string, FilteredList>([
  ["tools/list", { member: "tools", subjectOf: ({ name }) => ({ kind: "tool", name: String(name) }) }],
  ["prompts/list", { member: "prompts", subjectOf: ({ name }) => ({ kind: "prompt", name: String(name) }) }],
  ["resources/list", { member: "resources", subjectOf: ({ uri }) => ({ kind: "resource", uri: String(uri) }) }],
  [
    "resources/templates/list",
    { member: "resourceTemplates", subjectOf: ({ uriTemplate }) => ({ kind: "template", uri: String(uriTemplate) }) },
  ],
]);

async function filterList(result: object, list: FilteredList, check: Check): Promise<object> {
  const { member } = list;
  const items = (result as { [member: string]: readonly { [key: string]: unknown }[] })[member] ?? [];
  const verdicts = await Promise.all(items.map((item) => check(list.subjectOf(item))));
  // What one caller may see is nobody else's business, so it must not be shared by caches.
  return { ...result, [member]: items.filter((_, index) => verdicts[index]), cacheScope: "private" };
}

/** The parameters of a subscription without the resources that the caller may not watch. */
async function filterWatched(call: RequestCall, check: Check): Promise<object | undefined> {
  const { notifications } = (call.params ?? {}) as Partial<ListenParams>;
  const uris = notifications?.resourceSubscriptions;
  if (!Array.isArray(uris)) return undefined;
  const verdicts = await Promise.all(uris.map((uri) => check({ kind: "resource", uri: String(uri) })));
  const resourceSubscriptions = uris.filter((_, index) => verdicts[index]);
  return { ...call.params, notifications: { ...notifications, resourceSubscriptions } };
}

/** What a request is about. Malformed ones are about nothing, and refused by their handler. */
function subjectOf({ method, params }: RequestCall): AccessSubject | undefined {
  const { name, uri, ref } = (params ?? {}) as { name?: unknown; uri?: unknown; ref?: unknown };
  if (method === "tools/call" && typeof name === "string") return { kind: "tool", name };
  if (method === "prompts/get" && typeof name === "string") return { kind: "prompt", name };
  if ((method === "resources/read" || method === "resources/subscribe") && typeof uri === "string") {
    return { kind: "resource", uri };
  }
  if (method !== "completion/complete" || !isObject(ref)) return undefined;
  if (ref["type"] === "ref/prompt") return { kind: "prompt", name: String(ref["name"]) };
  return { kind: "template", uri: String(ref["uri"]) };
}

function refuse({ context }: RequestCall, subject: AccessSubject): object {
  if (subject.kind === "tool") return refuseUnknown(context as ServedRequest, subject.name);
  if (subject.kind === "prompt") throw unknownName("prompt", subject.name);
  throw subject.kind === "resource" ? resourceNotFound(context.revision, subject.uri) : unknownTemplate();
}
