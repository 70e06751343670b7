import type { ReadResourceResult } from "@toolwire/client";
import {
  resource,
  type Context,
  type ReadReturn,
  type Resource,
  type ResourceDefinition,
  type ResourceSet,
} from "@toolwire/server";
import { passContents } from "../calls/results.ts";
import { cleanWords } from "../text/clean.ts";
import { canonicalJson } from "@toolwire/protocol/internal";
import { metaForCaller } from "../text/meta.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** The family to which all resources of upstreams belong. It is not listed as a template. */
const ANY_RESOURCE = "{+uri}";
export const FAMILY = "upstream_resources";

/** A resource of an upstream, by the upstream's own URI. */
interface FoundResource {
  readonly upstream: Upstream;
  readonly uri: string;
}

/** The resources of all upstreams, in their order: who has which URI, and the way to it. */
export class OfferedResources {
  readonly #upstreams: readonly Upstream[];
  readonly #resources: Pick<ResourceSet, "add" | "remove">;
  /** The resources that each view listed last, as JSON. */
  readonly #listed = new WeakMap<object, string>();
  #hasFamily = false;
  /** The URIs of resources as callers wrote them: matching a template decodes them. */
  readonly #written = new WeakMap<Context, string>();

  constructor(upstreams: readonly Upstream[], resources: Pick<ResourceSet, "add" | "remove">) {
    this.#upstreams = upstreams;
    this.#resources = resources;
  }

  /**
   * Notes that a view has listed resources, so that clients hear if their list has changed. `hasMore` says that there are resources that
   * are not listed.
   */
  listed(view: object, resources: readonly Resource[], hasMore: boolean): void {
    const text = canonicalJson(resources);
    const former = this.#listed.get(view);
    if (text === former) return;
    this.#listed.set(view, text);
    if (resources.length > 0 || hasMore || former !== undefined) this.#announce();
  }

  /** Notes the URI that a caller wants to read, as it is written in the request. */
  noteWritten(ctx: Context, uri: string): void {
    this.#written.set(ctx, uri);
  }

  /** Reads a resource. `undefined` if no upstream has it. `uri` is used if the request does not say. */
  async read(uri: string, ctx: Context): Promise<ReadReturn> {
    const found = this.#find(this.#written.get(ctx) ?? uri, ctx.principal?.id);
    if (found === undefined) return undefined;
    const { upstream } = found;
    const result = await upstream.expectView(ctx).send("resources/read", { uri: found.uri }, ctx);
    return passContents(result as ReadResourceResult, (own) => upstream.uris.outward(own), upstream.isPerPrincipal);
  }

  /** Watches a resource for a principal until the returned function is called. */
  async watch(uri: string, principal: string | undefined): Promise<() => void> {
    const found = this.#find(uri, principal);
    const view = found?.upstream.viewOf(principal);
    if (found === undefined || view === undefined) return () => {};
    await view.watched.add(found.uri);
    return () => view.watched.remove(found.uri);
  }

  /** The upstream that has a resource. */
  upstreamOf(uri: string, principal: string | undefined): Upstream | undefined {
    return this.#find(uri, principal)?.upstream;
  }

  /** Why some resources of an upstream are read from others. */
  problemsOf(upstream: Upstream): readonly string[] {
    if (upstream.isPerPrincipal) return [];
    const shadowed = this.#resourcesOf(upstream, undefined).filter(({ uri }) => {
      const owner = this.#upstreams.find((each) => this.#ownUri(each, uri, "listed", undefined) !== undefined);
      return owner !== undefined && owner !== upstream;
    });
    const [first] = shadowed;
    if (first === undefined) return [];
    const uri = JSON.stringify(first.uri.slice(0, 200));
    return [
      `${shadowed.length} of its resources, such as ${uri}, have the URI of another upstream, which comes first. Give it a \`prefix\`.`,
    ];
  }

  /** Puts the family into the server, or replaces it: clients hear that the list has changed. */
  #announce(): void {
    if (this.#hasFamily) this.#resources.remove(FAMILY);
    this.#hasFamily = true;
    this.#resources.add(FAMILY, this.#defineFamily());
  }

  #defineFamily(): ResourceDefinition {
    return resource({
      template: ANY_RESOURCE,
      list: ({ principal }) => this.#list(principal?.id),
      read: ({ uri }, ctx) => this.read(uri, ctx),
    });
  }

  #list(principal: string | undefined): Resource[] {
    const listed = new Map<string, Resource>();
    for (const upstream of this.#upstreams) {
      if (upstream.findView(principal)?.catalog.isFailed === true) continue;
      for (const item of this.#resourcesOf(upstream, principal)) if (!listed.has(item.uri)) listed.set(item.uri, item);
    }
    return [...listed.values()];
  }

  #resourcesOf(upstream: Upstream, principal: string | undefined): Resource[] {
    const listed = upstream.findView(principal)?.catalog.listing?.resources ?? [];
    return listed.map((item) => passResource(item, upstream));
  }

  /** The upstream that has a resource: the first that lists it, or else the first that it may belong to. */
  #find(uri: string, principal: string | undefined): FoundResource | undefined {
    for (const how of ["listed", "other"] as const) {
      for (const upstream of this.#upstreams) {
        const own = this.#ownUri(upstream, uri, how, principal);
        if (own !== undefined) return { upstream, uri: own };
      }
    }
    return undefined;
  }

  #ownUri(upstream: Upstream, uri: string, how: "listed" | "other", principal: string | undefined): string | undefined {
    const listing = upstream.findView(principal)?.catalog.listing;
    return listing === undefined ? undefined : upstream.uris.inward(uri, how, listing);
  }
}

/** Makes the listing of a resource for callers. */
function passResource(item: Resource, { uris }: Upstream): Resource {
  const { uri, name, title, description, _meta, ...rest } = item;
  return {
    ...rest,
    uri: uris.outward(uri),
    name: cleanWords(name) ?? "",
    title: cleanWords(title),
    description: cleanWords(description),
    _meta: metaForCaller(_meta),
  };
}
