import { ToolError, type Context } from "@toolwire/server";
import type { RelayEvent, UpstreamOptions, ViewOptions } from "./options.ts";
import { ResourceUris } from "./resource-uris.ts";
import { View, type ViewChange } from "./view.ts";

/** The most principals of one upstream that are remembered by default. */
const MAX_PRINCIPALS = 1000;

/** Who hears what happens in an upstream. */
export interface UpstreamListener<V extends ViewOptions> {
  changed(upstream: Upstream<V>, view: View<V>, change: ViewChange): void;
  /** A view has ended: its principal was forgotten, or the upstream was closed. */
  ended(upstream: Upstream<V>, view: View<V>): void;
  report(event: RelayEvent): void;
}

/** Another server, in the views of its principals. */
export class Upstream<V extends ViewOptions = ViewOptions> {
  readonly name: string;
  readonly options: UpstreamOptions<V>;
  readonly uris: ResourceUris;
  readonly isPerPrincipal: boolean;
  /** Whether our server has tasks, so that its tools can be some. */
  readonly hasTasks: boolean;
  readonly #listener: UpstreamListener<V>;
  /** Views by principal; all share the one of `undefined` unless each principal has one. */
  readonly #views = new Map<string | undefined, View<V>>();
  #isClosed = false;

  constructor(name: string, options: UpstreamOptions<V>, listener: UpstreamListener<V>, hasTasks: boolean) {
    this.name = name;
    this.options = options;
    this.uris = new ResourceUris(options.prefix);
    this.isPerPrincipal = options.perPrincipal === true;
    this.hasTasks = hasTasks;
    this.#listener = listener;
  }

  get views(): readonly View<V>[] {
    return [...this.#views.values()];
  }

  /** The view of a principal, if there is one already. */
  findView(principal: string | undefined): View<V> | undefined {
    return this.#views.get(this.isPerPrincipal ? principal : undefined);
  }

  /** The view of a principal. `undefined` for a caller without identity if each principal has one, and after the end. */
  viewOf(principal: string | undefined): View<V> | undefined {
    if (this.#isClosed) return undefined;
    if (!this.isPerPrincipal) return this.#views.get(undefined) ?? this.#open(undefined);
    if (principal === undefined) return undefined;
    const view = this.#views.get(principal);
    if (view === undefined) {
      this.#makeRoom();
      return this.#open(principal);
    }
    // Put at the end: the first one is the one that was not used for longest.
    this.#views.delete(principal);
    this.#views.set(principal, view);
    return view;
  }

  /** The view of a caller. Throws a `ToolError` for one without identity if each principal has a view. */
  expectView(ctx: Context): View<V> {
    const view = this.viewOf(ctx.principal?.id);
    if (view !== undefined) return view;
    if (this.#isClosed) throw new ToolError(`Error: Upstream ${this.name} was closed`);
    throw new ToolError(`Error: Upstream ${this.name} is for callers who have identified themselves`);
  }

  /** Has a caller log in who has to, and resolves when what it may use is listed. */
  async logIn(ctx: Context): Promise<void> {
    const view = this.expectView(ctx);
    await view.ready();
    if (!view.catalog.needsLogin) return;
    await view.logIn(ctx, undefined);
    await view.ready();
  }

  /** Ends all views. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const views = this.views;
    this.#views.clear();
    await Promise.all(views.map((view) => this.#end(view)));
  }

  #open(principal: string | undefined): View<V> {
    const view = new View<V>({
      upstream: this.name,
      principal,
      options: this.options.view(principal),
      shared: this.options,
      changed: (change) => {
        // It may have been given up meanwhile.
        if (this.#views.get(principal) === view) this.#listener.changed(this, view, change);
      },
      report: (event) => this.#listener.report({ ...event, upstream: this.name }),
    });
    this.#views.set(principal, view);
    return view;
  }

  #makeRoom(): void {
    const [oldest] = this.#views;
    if (oldest === undefined || this.#views.size < (this.options.maxPrincipals ?? MAX_PRINCIPALS)) return;
    const [principal, view] = oldest;
    this.#views.delete(principal);
    void this.#end(view);
  }

  async #end(view: View<V>): Promise<void> {
    this.#listener.ended(this, view);
    await view.close();
  }
}
