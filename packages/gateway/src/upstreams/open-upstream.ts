import type { CallToolResult, GetPromptResult, ReadResourceResult, Tool } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import { ToolError, type Context, type ReadReturn, type Resource, type Suggestions } from "@toolwire/server";
import type { UpstreamConfig } from "../config/config.ts";
import type { LoginTarget } from "../logins/login-target.ts";
import type { HostedUpstream, OfferedKind, UpstreamHost } from "./host.ts";
import { canonicalJson } from "./listing-text.ts";
import { connectRoute } from "./connect-route.ts";
import type { UpstreamLists } from "./lists.ts";
import { mcpRoute, type ToolSource } from "./mcp-route.ts";
import { hashText, matchAny, offeredName } from "./names.ts";
import {
  offerPrompt,
  offerTemplate,
  passContents,
  passResource,
  type CompletedReference,
  type OfferSource,
  type Settled,
} from "./offered-items.ts";
import { Offers, type Offer } from "./offers.ts";
import { ResourceUris } from "./resource-uris.ts";
import { kindOf } from "./target.ts";
import { relayQuietly } from "./relay.ts";
import { oauthOptionsOf } from "./upstream-auth.ts";
import type { Upstream, UpstreamEvent, UpstreamKind, UpstreamOptions, UpstreamStatus } from "./upstream.ts";
import { isLoginNeeded, UpstreamView, type ViewOwner } from "./view.ts";

/** The most users of one upstream that are remembered by default. */
const MAX_USERS = 1000;

const UNKNOWN_ACCEPTED = "It is not known which of its tools were accepted, because the storage does not answer";

/** The lists of a principal who has not logged in yet. */
const NO_LISTS: UpstreamLists = { tools: [], resources: [], templates: [], prompts: [], completes: false };

/**
 * Opens an upstream of a server. Nothing is connected yet: that happens when its lists are asked for, or with the first call. Call it
 * for all upstreams of a server in the order of the configuration, because the first one that has a name keeps it.
 *
 * @throws UsageError if the configuration says neither what to start nor where to connect to
 */
export function openUpstream(
  name: string,
  config: UpstreamConfig,
  host: UpstreamHost,
  options: UpstreamOptions,
): Upstream {
  return new OpenedUpstream(name, config, host, options);
}

class OpenedUpstream implements Upstream, ViewOwner, ToolSource, OfferSource, HostedUpstream {
  readonly name: string;
  readonly config: UpstreamConfig;
  readonly kind: UpstreamKind;
  readonly options: UpstreamOptions;
  readonly isPerUser: boolean;
  readonly #host: UpstreamHost;
  readonly #offers: { readonly [Kind in OfferedKind]: Offers };
  readonly #isIncluded: (tool: string) => boolean;
  readonly #uris: ResourceUris;
  /** Views by principal; all share the one of `undefined` unless the upstream is per user. */
  readonly #views = new Map<string | undefined, UpstreamView>();
  /** Whether some callers see tools that others do not, because they can answer questions. */
  #varies = false;
  /** The tools that are shown in each view, and its resources as JSON. */
  readonly #acceptedTools = new WeakMap<UpstreamView, ReadonlyMap<string, Tool>>();
  readonly #listedResources = new WeakMap<UpstreamView, string>();

  constructor(name: string, config: UpstreamConfig, host: UpstreamHost, options: UpstreamOptions) {
    this.name = name;
    this.config = config;
    this.kind = kindOf(name, config);
    this.options = options;
    this.isPerUser = config.perUser === true;
    this.#host = host;
    this.#uris = new ResourceUris(config.prefix);
    const rank = host.nextRank();
    const { hosted } = host;
    const report = (message: string): void => this.report({ level: "warning", message });
    const shared = { upstream: name, rank, report };
    this.#offers = {
      tools: new Offers({ ...shared, claims: host.tools, remove: (tool) => hosted.removeTool(tool) }),
      prompts: new Offers({ ...shared, claims: host.prompts, remove: (key) => void hosted.server.prompts.remove(key) }),
      templates: new Offers({
        ...shared,
        claims: host.templates,
        remove: (key) => void hosted.server.resources.remove(key),
      }),
    };
    const { include, exclude } = config.tools ?? {};
    const isWanted = include === undefined ? () => true : matchAny(include);
    const isUnwanted = matchAny(exclude ?? []);
    this.#isIncluded = (tool) => isWanted(tool) && !isUnwanted(tool);
    host.add(this);
  }

  status(): UpstreamStatus {
    const views = [...this.#views.values()];
    const states = views.map(({ connection }) => connection.state);
    const failure = views.find((view) => view.failure !== undefined && !view.needsLogin)?.failure;
    const state = (["connected", "connecting"] as const).find((each) => states.includes(each));
    const client = views.findLast(({ lastClient }) => lastClient !== undefined)?.lastClient;
    const { name, version } = client?.server ?? {};
    const target = this.loginTarget;
    const logins = target && (target.isShared ? "shared" : "perUser");
    return {
      name: this.name,
      kind: this.kind,
      state: failure !== undefined && state !== "connecting" ? "failed" : (state ?? "idle"),
      ...(name !== undefined && version !== undefined && { serverInfo: { name, version } }),
      ...(client !== undefined && { revision: client.revision }),
      tools: this.#offers.tools.size,
      connections: views.reduce((sum, { connection, leases }) => sum + (connection.client ? 1 : 0) + leases.size, 0),
      ...(failure !== undefined && { error: this.#explain(failure) }),
      ...(logins !== undefined && { logins }),
      changedTools: [...new Set(views.flatMap(({ changes }) => changes.names))],
      problems: [...Object.values(this.#offers).flatMap(({ problems }) => problems), ...this.#resourceProblems()],
    };
  }

  async ready(principal?: string): Promise<void> {
    await this.#viewOf(principal)?.ready();
  }

  get loginTarget(): LoginTarget | undefined {
    const { auth, url } = this.config;
    if (auth === undefined || url === undefined || !("oauth" in auth)) return undefined;
    const { options } = this;
    return {
      url,
      isShared: auth.oauth.shared === true,
      connect: options.connect,
      // The client of the gateway is the same for all callers.
      options: () =>
        oauthOptionsOf(this.config, async (text) => {
          const value = await options.resolve(text, undefined);
          options.note?.(value);
          return value;
        }),
    };
  }

  async loginsChanged(): Promise<void> {
    if (this.options.logins === undefined) return;
    await Promise.all([...this.#views.values()].map((view) => view.loginsChanged()));
  }

  async restart(): Promise<void> {
    await Promise.all([...this.#views.values()].map((view) => view.restart()));
  }

  accept(): void {
    for (const view of this.#views.values()) {
      view.changes.accept();
      if (view.lists !== undefined) this.#offer(view, view.lists);
    }
  }

  async close(): Promise<void> {
    this.#host.remove(this);
    const views = [...this.#views.values()];
    this.#views.clear();
    await Promise.all(views.map((view) => this.#end(view)));
  }

  report(event: Omit<UpstreamEvent, "upstream">): void {
    this.options.report?.({ ...event, upstream: this.name });
  }

  // Called by views.

  async listed(view: UpstreamView, lists: UpstreamLists): Promise<void> {
    const wasChanged = view.changes.names;
    try {
      await view.changes.look(lists.tools);
    } catch (error) {
      // Without knowing what was accepted, a tool that has changed could not be told from one that has not.
      if (this.config.pin === true) throw new Error(UNKNOWN_ACCEPTED, { cause: error });
      view.failed(UNKNOWN_ACCEPTED, error);
    }
    // The view may have been given up meanwhile.
    if (this.#views.get(view.principal) !== view) return;
    const changed = view.changes.names.filter((tool) => !wasChanged.includes(tool));
    if (changed.length > 0) {
      this.report({ level: "warning", message: `Tools have changed since they were accepted: ${changed.join(", ")}` });
    }
    this.#offer(view, lists);
  }

  needsLogin(view: UpstreamView): void {
    if (this.#views.get(view.principal) === view) this.#offer(view, view.lists ?? NO_LISTS);
  }

  changedState(): void {
    this.#offers.tools.touch();
    this.#offers.prompts.touch();
  }

  updated(view: UpstreamView, uri: string): void {
    const { resources } = this.#host.hosted.server;
    const outward = this.outwardUri(uri);
    if (view.principal === undefined) resources.updated(outward);
    else resources.updated(outward, { principal: { id: view.principal } });
  }

  /** Pinned tools must be the same for all callers, because one person accepts them for all. */
  listedMore(view: UpstreamView, viewer: object, tools: readonly Tool[]): void {
    if (this.config.pin === true || this.#views.get(view.principal) !== view) return;
    const offers = tools.filter((tool) => this.#isOffered(tool)).map((tool) => this.#toolOffer(tool));
    this.#offers.tools.set(viewer, offers);
    this.#varies ||= offers.some(({ name }) => this.#offers.tools.isShown(name, [view]) !== true);
    if (this.#varies) this.#host.differs();
  }

  // Called by the host.

  async prepare(ctx: Context): Promise<void> {
    const view = this.#viewOf(ctx.principal?.id);
    await view?.ready();
    await view?.prepareFor(ctx);
  }

  get variesByCaller(): boolean {
    return this.#varies;
  }

  isShown(kind: OfferedKind, name: string, ctx: Context): boolean | undefined {
    const view = this.#views.get(this.#keyOf(ctx.principal?.id));
    return this.#offers[kind].isShown(name, view?.viewersFor(ctx) ?? []);
  }

  isFailed(principal: string | undefined): boolean {
    const view = this.#views.get(this.#keyOf(principal));
    return view?.failure !== undefined && !view.needsLogin;
  }

  resources(principal: string | undefined): readonly Resource[] {
    const listed = this.#views.get(this.#keyOf(principal))?.lists?.resources ?? [];
    return listed.map((item) => passResource(this, item));
  }

  ownUri(uri: string, how: "listed" | "other", principal: string | undefined): string | undefined {
    const lists = this.#views.get(this.#keyOf(principal))?.lists;
    return lists === undefined ? undefined : this.#uris.inward(uri, how, lists);
  }

  async read(uri: string, ctx: Context): Promise<ReadReturn> {
    const result = (await this.#expectView(ctx).send("resources/read", { uri }, ctx)) as ReadResourceResult;
    return passContents(this, result, this.isPerUser);
  }

  async watch(uri: string, principal: string | undefined): Promise<() => void> {
    const view = this.#viewOf(principal);
    await view?.watched.add(uri);
    return () => view?.watched.remove(uri);
  }

  // Called by routes, prompts and templates.

  callTool(tool: string, args: object, ctx: Context): Promise<CallToolResult> {
    const view = this.#viewOf(ctx.principal?.id);
    if (view === undefined) return Promise.reject(this.#needsIdentity());
    return view.send("tools/call", { name: tool, arguments: args }, ctx) as Promise<CallToolResult>;
  }

  isWithheld(tool: string, { principal }: Context): boolean {
    if (this.config.pin !== true) return false;
    return this.#views.get(this.#keyOf(principal?.id))?.changes.has(tool) === true;
  }

  async getPrompt(name: string, args: object, ctx: Context): Promise<GetPromptResult> {
    return (await this.#expectView(ctx).send("prompts/get", { name, arguments: args }, ctx)) as GetPromptResult;
  }

  async complete(
    ref: CompletedReference,
    name: string,
    value: string,
    ctx: Context,
    settled: Settled,
  ): Promise<Suggestions> {
    const view = this.#expectView(ctx);
    const client = await view.connection.open();
    const { signal } = ctx;
    const ask = (): Promise<{ readonly completion: Suggestions }> =>
      client.complete(ref, { name, value }, { arguments: settled, signal });
    return (await relayQuietly(view, ask, [ref, value, settled])).completion;
  }

  outwardUri(uri: string): string {
    return this.#uris.outward(uri);
  }

  /** Resources that are read from an upstream before this one. */
  #resourceProblems(): string[] {
    if (this.isPerUser) return [];
    const shadowed = this.resources(undefined).filter(({ uri }) => this.#host.isShadowed(uri, this));
    const [first] = shadowed;
    if (first === undefined) return [];
    const uri = JSON.stringify(first.uri.slice(0, 200));
    return [
      `${shadowed.length} of its resources, such as ${uri}, have the URI of another upstream, which comes first. Give it a \`prefix\`.`,
    ];
  }

  #keyOf(principal: string | undefined): string | undefined {
    return this.isPerUser ? principal : undefined;
  }

  /** The view of a principal. `undefined` for a caller without identity of an upstream that is per user. */
  #viewOf(principal: string | undefined): UpstreamView | undefined {
    const key = this.#keyOf(principal);
    if (this.isPerUser && key === undefined) return undefined;
    let view = this.#views.get(key);
    if (view === undefined) {
      view = new UpstreamView(this, key);
      const [oldest] = this.#views.keys();
      if (this.#views.size >= (this.options.maxUsers ?? MAX_USERS) && oldest !== undefined) this.#forget(oldest);
    } else if (this.isPerUser) this.#views.delete(key);
    else return view;
    // Put at the end: the first one is the one that was not used for longest.
    this.#views.set(key, view);
    return view;
  }

  #expectView(ctx: Context): UpstreamView {
    const view = this.#viewOf(ctx.principal?.id);
    if (view !== undefined) return view;
    throw this.#needsIdentity();
  }

  #needsIdentity(): ToolError {
    return new ToolError(`Error: Upstream ${this.name} is for callers who have identified themselves`);
  }

  #forget(principal: string | undefined): void {
    const view = this.#views.get(principal);
    this.#views.delete(principal);
    if (view !== undefined) void this.#end(view);
  }

  async #end(view: UpstreamView): Promise<void> {
    for (const offers of Object.values(this.#offers)) for (const viewer of view.viewers) offers.set(viewer, []);
    await view.close();
  }

  #offer(view: UpstreamView, lists: UpstreamLists): void {
    const { tools, prompts, templates } = this.#offers;
    tools.set(view, this.#toolOffers(view, lists.tools));
    prompts.set(
      view,
      lists.prompts.map((item) => offerPrompt(this, this.#host, item, lists.completes)),
    );
    templates.set(
      view,
      lists.templates.map((item) => offerTemplate(this, this.#host, item, lists.completes)),
    );
    const listed = canonicalJson(lists.resources);
    const former = this.#listedResources.get(view);
    if (listed === former) return;
    this.#listedResources.set(view, listed);
    const isOffered = lists.resources.length > 0 || lists.templates.length > 0;
    if (isOffered || former !== undefined) this.#host.resourcesChanged();
  }

  /** The tools that are included. As long as a changed one is withheld, it is shown as it was when it was accepted. */
  #toolOffers(view: UpstreamView, tools: readonly Tool[]): Offer[] {
    const former = this.#acceptedTools.get(view);
    const shown = new Map<string, Tool>();
    for (const tool of tools) {
      const isWithheld = this.config.pin === true && view.changes.has(tool.name);
      const listed = isWithheld ? former?.get(tool.name) : tool;
      if (listed !== undefined && this.#isOffered(listed)) shown.set(tool.name, listed);
    }
    this.#acceptedTools.set(view, shown);
    const offers = [...shown.values()].map((tool) => this.#toolOffer(tool));
    return view.needsLogin ? [this.#connectOffer(), ...offers] : offers;
  }

  /** A tool for callers who have not logged in: without it, they would see nothing that tells them to. */
  #connectOffer(): Offer {
    const route = connectRoute(this.name, (ctx) => this.#connect(ctx));
    return {
      name: offeredName(this.config.prefix, `connect_${this.name}`),
      fingerprint: "connect",
      add: (name) => this.#host.hosted.addTool(name, route),
    };
  }

  async #connect(ctx: Context): Promise<void> {
    const view = this.#expectView(ctx);
    await view.ready();
    if (!view.needsLogin) return;
    await view.logIn(ctx, undefined);
    await view.ready();
  }

  #explain(failure: Error): string {
    if (!isLoginNeeded(failure)) return failure.message;
    const command = `toolwire-gateway login ${this.#host.hosted.slug}/${this.name}`;
    return `Nobody is logged in at it, or the login has ended. Log in on the page, or with \`${command}\`.`;
  }

  #isOffered({ name, inputSchema }: Tool): boolean {
    return this.#isIncluded(name) && isObject(inputSchema);
  }

  #toolOffer(tool: Tool): Offer {
    return {
      name: offeredName(this.config.prefix, tool.name),
      fingerprint: hashText(canonicalJson(tool)),
      add: (name) => this.#host.hosted.addTool(name, mcpRoute(this, tool)),
    };
  }
}
