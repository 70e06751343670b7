import { isForModel, viewOf } from "@toolwire/client/views";
import type { Context, PromptDefinition, ResourceDefinition, Server } from "@toolwire/server";
import { taskSupportOf } from "../calls/task-support.ts";
import { OfferTable, type OfferTarget } from "../offers/offer-table.ts";
import { offerPrompts } from "../offers/prompts.ts";
import { offerTemplates } from "../offers/templates.ts";
import { offerLogin, offerTools, type RelayedTool } from "../offers/tools.ts";
import type { Listing } from "../catalog/listing.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { View } from "../upstream/view.ts";
import { OfferedResources } from "./offered-resources.ts";

/** The kinds of things that are offered by name. */
export type OfferedKind = "tools" | "prompts" | "templates";

/** The listing of a principal who has not logged in yet. */
const NOTHING: Listing = { tools: [], resources: [], templates: [], prompts: [], completes: false };

/** Where offers go. */
export interface OfferedOptions {
  readonly upstreams: readonly Upstream[];
  readonly server: Pick<Server, "prompts" | "resources">;
  readonly tools: OfferTarget<RelayedTool>;
  /** Hears why something of an upstream is not offered. */
  readonly report: (upstream: Upstream, problem: string) => void;
}

/** Everything of upstreams that is in a server, and which callers see it. */
export class Offered {
  readonly resources: OfferedResources;
  readonly #upstreams: readonly Upstream[];
  readonly #tools: OfferTable<Upstream, RelayedTool>;
  readonly #prompts: OfferTable<Upstream, PromptDefinition>;
  readonly #templates: OfferTable<Upstream, ResourceDefinition>;
  #differs: boolean;
  #hasToolsForViews = false;

  constructor({ upstreams, server, tools, report }: OfferedOptions) {
    const { prompts, resources } = server;
    const shared = { sources: upstreams, report };
    this.#upstreams = upstreams;
    this.#differs = upstreams.some(({ isPerPrincipal }) => isPerPrincipal);
    this.resources = new OfferedResources(upstreams, resources);
    this.#tools = new OfferTable({ ...shared, kind: "tool", target: tools });
    this.#prompts = new OfferTable({ ...shared, kind: "prompt", target: prompts });
    this.#templates = new OfferTable({ ...shared, kind: "resource template", target: resources });
  }

  /** Whether some callers see tools that others do not. */
  get differs(): boolean {
    return this.#differs;
  }

  /** Whether tools that are for views only, and not for models, are offered, or were. */
  get hasToolsForViews(): boolean {
    return this.#hasToolsForViews;
  }

  /** Offers what a view lists now. */
  offer(upstream: Upstream, view: View): void {
    const { catalog, options } = view;
    const { tools, prompts, templates, resources, completes } = catalog.listing ?? NOTHING;
    const login = catalog.needsLogin ? options.login?.byCaller?.tool : undefined;
    const offers = offerTools(upstream, options.choose?.(tools, "all") ?? tools, (tool) =>
      taskSupportOf(tool, view.lastClient),
    );
    if (login !== undefined) offers.unshift(offerLogin(upstream, login.listing, login.result));
    this.#hasToolsForViews ||= tools.some((tool) => !isForModel(tool));
    this.#tools.set(upstream, view, offers);
    this.#prompts.set(upstream, view, offerPrompts(upstream, prompts, completes));
    const read = this.resources.read.bind(this.resources);
    this.#templates.set(upstream, view, offerTemplates(upstream, templates, completes, read));
    // Views can be read, too, although their server need not list them.
    const hasMore = templates.length > 0 || tools.some((tool) => viewOf(tool) !== undefined);
    this.resources.listed(view, resources, hasMore);
    this.#compare();
  }

  /** Offers the tools that only callers see who can be asked something. */
  offerToAskable(upstream: Upstream, view: View, viewer: object, tools: Listing["tools"]): void {
    this.#hasToolsForViews ||= tools.some((tool) => !isForModel(tool));
    const chosen = view.options.choose?.(tools, "askable") ?? tools;
    this.#tools.set(
      upstream,
      viewer,
      offerTools(upstream, chosen, (tool) => taskSupportOf(tool, view.lastClient)),
    );
    this.#compare();
  }

  /** Takes out what only a view was offered. */
  withdraw(upstream: Upstream, view: View): void {
    for (const viewer of [view, ...view.catalog.askableViewers]) this.#tools.set(upstream, viewer, []);
    this.#prompts.set(upstream, view, []);
    this.#templates.set(upstream, view, []);
    this.#compare();
  }

  /** Has clients hear that what they list has changed, because an upstream has failed or is back. */
  announceState(upstream: Upstream): void {
    this.#tools.touch(upstream);
    this.#prompts.touch(upstream);
  }

  /** Whether a caller may find less in lists than others do. Pages are prepared for all of them otherwise. */
  hidesSome(ctx: Context): boolean {
    if (this.#differs) return true;
    const principal = ctx.principal?.id;
    return this.#upstreams.some((upstream) => upstream.findView(principal)?.catalog.isFailed === true);
  }

  /** Whether a caller finds something in a list: everything that is not of another caller, nor of an upstream that has failed. */
  isListed(kind: OfferedKind, name: string, ctx: Context): boolean {
    const holder = this.#holderOf(kind, name);
    if (holder === undefined) return true;
    const view = holder.source.findView(ctx.principal?.id);
    return sees(view, holder.viewers, ctx) && view?.catalog.isFailed !== true;
  }

  /** Whether a caller must not know of something. */
  isHidden(kind: OfferedKind, name: string, ctx: Context): boolean {
    const holder = this.#holderOf(kind, name);
    return holder !== undefined && !sees(holder.source.findView(ctx.principal?.id), holder.viewers, ctx);
  }

  /** The upstream that something comes from, as a caller sees it. */
  upstreamOf(kind: "tools" | "prompts" | "resources", name: string, ctx: Context): Upstream | undefined {
    if (kind === "resources") return this.resources.upstreamOf(name, ctx.principal?.id);
    return this.#holderOf(kind, name)?.source;
  }

  /** How many tools of an upstream are offered. */
  countTools(upstream: Upstream): number {
    return this.#tools.countOf(upstream);
  }

  /** Why some things of an upstream are not offered. */
  problemsOf(upstream: Upstream): readonly string[] {
    return [
      ...this.#tools.problemsOf(upstream),
      ...this.#prompts.problemsOf(upstream),
      ...this.#templates.problemsOf(upstream),
      ...this.resources.problemsOf(upstream),
    ];
  }

  #holderOf(kind: OfferedKind, name: string): ReturnType<OfferTable<Upstream, unknown>["holderOf"]> {
    if (kind === "tools") return this.#tools.holderOf(name);
    return (kind === "prompts" ? this.#prompts : this.#templates).holderOf(name);
  }

  #compare(): void {
    this.#differs = this.#upstreams.some(
      (upstream) => upstream.isPerPrincipal || !this.#tools.seesAll(upstream, upstream.findView(undefined)),
    );
  }
}

/** Whether something is offered to a caller: as to all of its view, or as one who can be asked something. */
function sees(view: View | undefined, viewers: ReadonlySet<object>, ctx: Context): boolean {
  if (view === undefined) return false;
  if (viewers.has(view)) return true;
  const askable = view.catalog.askableViewerFor(ctx);
  return askable !== undefined && viewers.has(askable);
}
