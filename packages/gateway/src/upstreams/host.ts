import { resource, type Context, type ReadReturn, type Resource, type ServerMiddleware } from "@toolwire/server";
import { isObject } from "@toolwire/protocol/internal";
import { Claims } from "./claims.ts";
import type { HostedServer } from "./upstream.ts";

/** The kinds of things that upstreams offer by name. */
export type OfferedKind = "tools" | "prompts" | "templates";

/** An upstream as its host sees it. */
export interface HostedUpstream {
  readonly isPerUser: boolean;
  /** Lists for a caller what is not known yet. */
  prepare(ctx: Context): Promise<void>;
  /** Whether callers who can answer questions see more than others. */
  readonly variesByCaller: boolean;
  /** Whether a caller may know of something; `undefined` if it is not of this upstream. */
  isShown(kind: OfferedKind, name: string, ctx: Context): boolean | undefined;
  /** Whether it cannot be used at the moment, so that nothing of it is listed. */
  isFailed(principal: string | undefined): boolean;
  /** The resources that a caller sees, with the URIs under which they are offered. */
  resources(principal: string | undefined): readonly Resource[];
  /** The upstream's own URI of a resource: of one that it lists, or of any other that belongs to it. */
  ownUri(uri: string, how: "listed" | "other", principal: string | undefined): string | undefined;
  read(uri: string, ctx: Context): Promise<ReadReturn>;
  /** Watches a resource of its own until the returned function is called. */
  watch(uri: string, principal: string | undefined): Promise<() => void>;
}

/** The family to which all resources of upstreams belong. It is not listed as a template. */
const ANY_RESOURCE = "{+uri}";
const FAMILY = "upstream_resources";

/** Requests that need to know what upstreams offer. */
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
 * Makes the host of the upstreams of one server. Pass it to `openUpstream` for each of them, in the order of the configuration, and
 * run its `middleware` as part of the server's own.
 */
export function createUpstreamHost(hosted: HostedServer): UpstreamHost {
  return new UpstreamHost(hosted);
}

/** The upstreams of one server: who has which name, and the way of requests to them. */
export class UpstreamHost {
  readonly hosted: HostedServer;
  readonly tools: Claims = new Claims("tool");
  readonly prompts: Claims = new Claims("prompt");
  readonly templates: Claims = new Claims("resource template");
  readonly #upstreams: HostedUpstream[] = [];
  #lastRank = 0;
  #hasFamily = false;
  /** Whether callers see different things. */
  #differs = false;
  /** The URIs of resources as callers wrote them: matching a template decodes them. */
  readonly #uris = new WeakMap<Context, string>();
  /** The resources that legacy sessions watch. */
  readonly #watches = new WeakMap<object, Map<string, () => void>>();

  constructor(hosted: HostedServer) {
    this.hosted = hosted;
  }

  /** Waits for upstreams where a request needs them, hides from callers what is not theirs, and has resources watched. */
  readonly middleware: ServerMiddleware = (call, next) => {
    const { method } = call;
    // The fast path: a tool that is known, and that everybody may call.
    if (method === "tools/call" && call.tool !== undefined && !this.#differs) return next();
    if (this.#upstreams.length === 0) return next();
    return this.#handle(call, next);
  };

  /** The rank of the next upstream. */
  nextRank(): number {
    this.#lastRank += 1;
    return this.#lastRank;
  }

  add(upstream: HostedUpstream): void {
    this.#upstreams.push(upstream);
    this.#differs ||= upstream.isPerUser;
  }

  /** Notes that callers see different things from now on. */
  differs(): void {
    this.#differs = true;
  }

  remove(upstream: HostedUpstream): void {
    const place = this.#upstreams.indexOf(upstream);
    if (place !== -1) this.#upstreams.splice(place, 1);
    this.#differs = this.#upstreams.some(({ isPerUser, variesByCaller }) => isPerUser || variesByCaller);
  }

  /** Tells clients that the list of resources has changed. Offers resources from the first time on. */
  resourcesChanged(): void {
    const { resources } = this.hosted.server;
    if (this.#hasFamily) resources.remove(FAMILY);
    this.#hasFamily = true;
    resources.add(
      FAMILY,
      resource({
        template: ANY_RESOURCE,
        list: ({ principal }) => this.#listResources(principal?.id),
        read: ({ uri }, ctx) => this.read(uri, ctx),
      }),
    );
  }

  /** Reads a resource. `undefined` if no upstream has it. `uri` is used if the request does not say. */
  async read(uri: string, ctx: Context): Promise<ReadReturn> {
    const principal = ctx.principal?.id;
    const found = this.#find(this.#uris.get(ctx) ?? uri, principal);
    return found?.upstream.read(found.uri, ctx);
  }

  /** Whether a resource that an upstream lists is that of another, which comes first. */
  isShadowed(uri: string, upstream: HostedUpstream): boolean {
    const owner = this.#upstreams.find((each) => each.ownUri(uri, "listed", undefined) !== undefined);
    return owner !== undefined && owner !== upstream;
  }

  async #handle(call: Parameters<ServerMiddleware>[0], next: Parameters<ServerMiddleware>[1]): Promise<object> {
    const { method, context } = call;
    const principal = context.principal?.id;
    if (NEEDS_LISTS.has(method)) await Promise.all(this.#upstreams.map((upstream) => upstream.prepare(context)));
    switch (method) {
      case "tools/list":
        this.#showOwn(call, "tools");
        break;
      case "prompts/list":
        this.#showOwn(call, "prompts");
        break;
      case "resources/templates/list":
        call.showOnly((item) => {
          const { name } = item as { readonly name?: unknown };
          return name !== FAMILY && this.isListed("templates", String(name), context);
        });
        break;
      case "tools/call":
        if (this.#isHidden("tools", call.tool?.name, context)) return call.refuseAsUnknown();
        break;
      case "prompts/get":
        if (this.#isHidden("prompts", textOf(call.params, "name"), context)) return call.refuseAsUnknown();
        break;
      case "resources/read": {
        const uri = textOf(call.params, "uri");
        if (uri !== undefined) this.#uris.set(context, uri);
        break;
      }
      case "resources/subscribe":
        return this.#subscribe(call, next, principal);
      case "resources/unsubscribe":
        this.#watches.get(call.origin.connection)?.get(textOf(call.params, "uri") ?? "")?.();
        break;
      case "subscriptions/listen":
        return this.#listen(call, next, principal);
      default:
    }
    return next();
  }

  /** Pages are prepared for all callers, unless some of them see less. */
  #showOwn(call: Parameters<ServerMiddleware>[0], kind: OfferedKind): void {
    const { context } = call;
    const principal = context.principal?.id;
    const differs = (upstream: HostedUpstream): boolean =>
      upstream.isPerUser || upstream.variesByCaller || upstream.isFailed(principal);
    if (!this.#upstreams.some(differs)) return;
    call.showOnly((item) => this.isListed(kind, String((item as { readonly name?: unknown }).name), context));
  }

  /** Whether a caller finds something in a list: everything that is not of another caller, nor of an upstream that has failed. */
  isListed(kind: OfferedKind, name: string, ctx: Context): boolean {
    for (const upstream of this.#upstreams) {
      const isShown = upstream.isShown(kind, name, ctx);
      if (isShown !== undefined) return isShown && !upstream.isFailed(ctx.principal?.id);
    }
    return true;
  }

  #isHidden(kind: OfferedKind, name: string | undefined, ctx: Context): boolean {
    if (name === undefined) return false;
    return this.#upstreams.some((upstream) => upstream.isShown(kind, name, ctx) === false);
  }

  #listResources(principal: string | undefined): Resource[] {
    const listed = new Map<string, Resource>();
    for (const upstream of this.#upstreams) {
      if (upstream.isFailed(principal)) continue;
      for (const item of upstream.resources(principal)) if (!listed.has(item.uri)) listed.set(item.uri, item);
    }
    return [...listed.values()];
  }

  /** The upstream that has a resource: the first that lists it, or else the first that it may belong to. */
  #find(uri: string, principal: string | undefined): { upstream: HostedUpstream; uri: string } | undefined {
    for (const how of ["listed", "other"] as const) {
      for (const upstream of this.#upstreams) {
        const own = upstream.ownUri(uri, how, principal);
        if (own !== undefined) return { upstream, uri: own };
      }
    }
    return undefined;
  }

  async #watch(uri: string, principal: string | undefined): Promise<() => void> {
    const found = this.#find(uri, principal);
    return (await found?.upstream.watch(found.uri, principal)) ?? (() => {});
  }

  async #subscribe(
    call: Parameters<ServerMiddleware>[0],
    next: Parameters<ServerMiddleware>[1],
    principal: string | undefined,
  ): Promise<object> {
    const { connection } = call.origin;
    const result = await next();
    const uri = textOf(call.params, "uri");
    const watches = this.#watches.get(connection) ?? new Map<string, () => void>();
    this.#watches.set(connection, watches);
    if (uri === undefined || watches.has(uri)) return result;
    // Noted before it is waited for, so that a second request for the same is not watched twice.
    watches.set(uri, () => {});
    const end = await this.#watch(uri, principal);
    watches.set(uri, () => {
      watches.delete(uri);
      end();
    });
    return result;
  }

  async #listen(
    call: Parameters<ServerMiddleware>[0],
    next: Parameters<ServerMiddleware>[1],
    principal: string | undefined,
  ): Promise<object> {
    const { notifications } = isObject(call.params) ? call.params : {};
    const { resourceSubscriptions } = isObject(notifications) ? notifications : {};
    const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions.slice(0, 1000) : [];
    const watched = uris.filter((uri) => typeof uri === "string").map((uri) => this.#watch(uri, principal));
    const ends = await Promise.all(watched);
    try {
      return await next();
    } finally {
      for (const end of ends) end();
    }
  }
}

function textOf(params: object | undefined, name: string): string | undefined {
  const value = (params as { readonly [member: string]: unknown } | undefined)?.[name];
  return typeof value === "string" ? value : undefined;
}
