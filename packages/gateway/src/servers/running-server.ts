import { untrustedSchemaValidator } from "@toolwire/json-schema";
import { createAjvValidator } from "@toolwire/json-schema/ajv";
import {
  type CallToolResult,
  createServer,
  type RequestCall,
  type SchemaValidator,
  type Server,
  type ServerMiddleware,
  tool,
  UsageError,
} from "@toolwire/server";
import { createNodeHandler, type NodeHandler } from "@toolwire/server/http";
import { type CatalogServer, serverCard } from "@toolwire/server/server-card";
import type { ServerConfig } from "../config/config.ts";
import { takesKeys } from "../config/identifies-callers.ts";
import type { GatewayServer, ToolInfo } from "../gateway.ts";
import type { ToolRoute } from "../routes/tool-route.ts";
import { createPipeline, runTool } from "../steps/pipeline.ts";
import { WaitingCalls } from "../steps/waiting-calls.ts";
import { ADMIN_BINDING, type CallLimits, type Policy, type PolicyTool, type SearchTools } from "../steps/policy.ts";
import { openUpstreams } from "../upstreams/open-upstreams.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { callAsAdmin } from "./admin-call.ts";
import { compileAccess } from "./access-rules.ts";
import { createLimits } from "./call-limits.ts";
import { describeRewritten, makePortable } from "./portable-tools.ts";
import { addSearchTools } from "./search-mode.ts";
import { scopesOf } from "./server-auth.ts";
import {
  type BuiltTool,
  describeContents,
  fixedPartsOf,
  listingOf,
  offersTools,
  overrideOf,
  type ServerContents,
} from "./server-contents.ts";
import { createGroups, type UpstreamOf } from "./server-groups.ts";
import type { ServerHost } from "./server-host.ts";

interface OfferedTool {
  readonly route: ToolRoute;
  /** `undefined` for tools of upstreams, which upstreams replace themselves. */
  readonly fingerprint: string | undefined;
  info: ToolInfo | undefined;
}

/** A server of the gateway while it runs: the SDK's server, its HTTP handler, and the rules of the moment. */
export class RunningServer implements GatewayServer {
  readonly slug: string;
  readonly server: Server;
  readonly handler: NodeHandler;
  readonly takesTokens: boolean;
  readonly takesKeys: boolean;
  /** What a catalog says of the server; `undefined` if it has no public card. */
  readonly card: CatalogServer | undefined;
  /** Changes if the SDK's server has to be made anew. */
  readonly fixedParts: string;
  readonly #host: ServerHost;
  readonly #offered = new Map<string, OfferedTool>();
  readonly #upstreams: readonly Upstream[];
  /** By tool. Kept over reloads, so that a reload does not open a new minute. */
  readonly #limits = new Map<string, { readonly text: string; readonly limits: CallLimits }>();
  #contents: ServerContents;
  /** Made anew when it is asked for after a change: an upstream may add a thousand tools at once. */
  #lastPolicy: Policy | undefined;
  readonly #search: SearchTools | undefined;
  readonly #cardProblem: string | undefined;
  /** Tools whose inputs were rewritten, and of which the operator has not been told. */
  readonly #rewritten: (readonly [name: string, route: ToolRoute])[] = [];
  /** Tasks that wait for answers. */
  readonly #waiting: WaitingCalls;
  #isClosed = false;

  constructor(contents: ServerContents, host: ServerHost) {
    const { slug, config } = contents;
    this.slug = slug;
    this.#host = host;
    this.#contents = contents;
    this.fixedParts = fixedPartsOf(contents, host);
    const schemas = Object.values(config.tools ?? {}).map(({ input }) => input);
    const own = new WeakSet(schemas.filter((schema) => schema !== undefined));
    this.#waiting = new WaitingCalls(host);
    const serve = createPipeline(() => this.#policy, host, this.#waiting);
    // Upstreams are known only when the server is made. Nobody asks before.
    let upstreamOf: UpstreamOf = () => undefined;
    const { relay, upstreams } = openUpstreams(host.prepareUpstreams(slug, config), {
      slug,
      // Another process would not find them.
      tasks: host.isAlone ? undefined : false,
      server: ({ middleware, extensions }) =>
        createServer({
          name: slug,
          version: host.version,
          title: config.title,
          description: config.description,
          instructions: config.instructions,
          // Without it, the server does not have the methods of tools.
          tools: offersTools(config) ? {} : undefined,
          // Each layer costs every call a few promises, so there is one, and one more for upstreams.
          middleware: [
            (call, next) => {
              if (call.method === "tools/call") return serve(call, next);
              if (call.method === "tasks/cancel") return this.#cancelTask(call, next);
              return call.method === "tools/list" ? this.#list(call, next) : next();
            },
            ...(config.upstreams === undefined ? [] : middleware),
          ],
          observe: host.observer,
          unknownTool: config.unknownTool,
          stateKey: host.stateKey,
          extensions: [
            ...createGroups(config, (...asked) => upstreamOf(...asked)),
            ...(config.upstreams === undefined ? [] : extensions),
          ],
          validator: validatorFor(own),
          onDiagnostic: ({ message, error }) => host.diagnose(slug, message, error),
        }),
      addTool: (name, route) => this.#addOfUpstream(name, route),
      removeTool: (name) => this.#removeOfUpstream(name),
    });
    upstreamOf = (...asked) => relay.upstreamOf(...asked);
    this.server = relay.server;
    this.#upstreams = upstreams;
    this.#search =
      config.mode === "search"
        ? addSearchTools(
            this.server,
            () => this.#policy,
            (name, ctx) => relay.isListed(name, ctx),
          )
        : undefined;
    this.#offer(contents.tools);
    const http = host.httpOptions(slug, config);
    this.takesTokens = http.auth !== undefined;
    this.takesKeys = http.authenticate !== undefined || (this.takesTokens && takesKeys(config, true));
    const { options: card, problem } = host.planCard(slug, config);
    this.card = card && { name: `${card.namespace}/${slug}`, url: card.url };
    this.#cardProblem = problem;
    this.handler = createNodeHandler(this.server, { ...http, serverCard: card && serverCard(card) });
    this.#refresh();
  }

  get config(): ServerConfig {
    return this.#contents.config;
  }

  get isFromFile(): boolean {
    return this.#contents.isFromFile;
  }

  get isIncomplete(): boolean {
    return this.#contents.isIncomplete;
  }

  get status(): "active" | "paused" | "draft" {
    return this.config.status ?? "active";
  }

  get tools(): readonly ToolInfo[] {
    return [...this.#offered].map(([name, offered]) => (offered.info ??= this.#describe(name, offered.route)));
  }

  get upstreams(): readonly Upstream[] {
    return this.#upstreams;
  }

  get credentials(): GatewayServer["credentials"] {
    return this.#contents.credentials.map(({ name, kind, perUser, isSet }) => ({
      name,
      kind,
      perUser,
      isSet: isSet(),
    }));
  }

  get problems(): readonly string[] {
    const missing = this.credentials.filter(({ isSet, perUser }) => !isSet && !perUser);
    return [
      ...describeContents(this.#contents),
      ...(this.#cardProblem === undefined ? [] : [this.#cardProblem]),
      ...missing.map(({ name }) => `The credential ${JSON.stringify(name)} is not set.`),
      ...this.#upstreams.flatMap((upstream) => {
        const { name, state, error, problems } = upstream.status();
        const failure = state === "failed" ? [`The upstream ${name} failed: ${error ?? "unknown reason"}`] : [];
        return [...failure, ...problems];
      }),
    ];
  }

  call(name: string, args: object, signal?: AbortSignal): Promise<{ id: string; result: CallToolResult }> {
    return callAsAdmin(this.server, name, args, scopesOf(this.config), signal);
  }

  /** Takes over a new configuration with the same fixed parts. Calls in flight go on with what they have. */
  apply(contents: ServerContents): void {
    this.#contents = contents;
    this.#offer(contents.tools);
    this.#refresh();
  }

  /** Serves on for so many milliseconds, and asks clients to close their connections. */
  drain(wait: number): Promise<void> {
    return this.handler.drain({ wait });
  }

  /** Serves requests in flight to their end, and then closes everything. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.handler.close();
    this.#waiting.close();
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }

  /** Replaces the tools of the configuration by those of another one. Clients are told if their lists have changed. */
  #offer(tools: readonly BuiltTool[]): void {
    const wanted = new Map(tools.map((each) => [each.name, each]));
    for (const [name, { fingerprint }] of this.#offered) {
      if (fingerprint !== undefined && wanted.get(name)?.fingerprint !== fingerprint) this.#remove(name);
    }
    for (const { name, route, fingerprint } of tools) {
      if (this.#offered.has(name)) continue;
      this.#add(name, route, fingerprint);
    }
    this.#refresh();
  }

  #add(name: string, route: ToolRoute, fingerprint: string | undefined): void {
    const { title, description } = overrideOf(this.config, name, route.operationId) ?? {};
    const listed = changed(route, {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(this.config.schemas === "portable" && makePortable(route)),
    });
    if ((listed.shown?.changes.length ?? 0) > 0) this.#noteRewritten(name, listed);
    this.server.tools.add(
      name,
      tool({
        title: listed.title,
        description: listed.description,
        input: listed.input,
        annotations: listed.annotations,
        icons: listed.icons,
        _meta: listed._meta,
        scopes: this.#scopesFor(name, route),
        ...(route.task !== undefined && { task: route.task }),
        run: (args: unknown, ctx) => runTool(route, args as object, ctx),
      }),
    );
    this.#offered.set(name, { route: listed, fingerprint, info: undefined });
  }

  /** Tells the operator which tools were rewritten, once for all that come together. */
  #noteRewritten(name: string, route: ToolRoute): void {
    if (this.#rewritten.push([name, route]) > 1) return;
    queueMicrotask(() => this.#host.inform(this.slug, describeRewritten(this.#rewritten.splice(0))));
  }

  /** Offers a tool of an upstream. */
  #addOfUpstream(name: string, route: ToolRoute): void {
    this.#add(name, route, undefined);
    this.#refresh();
  }

  /** Withdraws a tool of an upstream. */
  #removeOfUpstream(name: string): void {
    if (this.#offered.get(name)?.fingerprint !== undefined) return;
    this.#remove(name);
    this.#refresh();
  }

  #scopesFor(name: string, { operationId }: ToolRoute): readonly string[] | undefined {
    return overrideOf(this.config, name, operationId)?.scopes ?? this.config.tools?.[name]?.scopes;
  }

  #remove(name: string): void {
    if (this.#offered.delete(name)) this.server.tools.remove(name);
  }

  /** Makes the rules anew, for calls that begin from now on. */
  #refresh(): void {
    this.#lastPolicy = undefined;
  }

  /** The rules of the moment. */
  get #policy(): Policy {
    return (this.#lastPolicy ??= this.#makePolicy());
  }

  #makePolicy(): Policy {
    const { config } = this.#contents;
    const tools = new Map<string, PolicyTool>();
    for (const [name, { route }] of this.#offered) {
      const limits = overrideOf(config, name, route.operationId)?.limits ?? config.tools?.[name]?.limits ?? {};
      const label = `the tool ${JSON.stringify(name)}`;
      tools.set(name, { route, isDraft: this.#isDraft(name, route), limits: this.#limitsFor(name, label, limits) });
    }
    const { perMinute = this.#host.defaultPerMinute(config), concurrent } = config.limits ?? {};
    const server = { ...(perMinute !== undefined && { perMinute }), ...(concurrent !== undefined && { concurrent }) };
    const allows = compileAccess(config.access, (name) => tools.get(name)?.route.operationId);
    return {
      slug: this.slug,
      tools,
      limits: this.#limitsFor("", "this server", server),
      allows,
      isSameForAll:
        config.access === undefined && !this.#upstreams.some((upstream) => upstream.config.perUser === true),
      search: this.#search,
      capture: config.capture ?? this.#host.captures,
      prepare: this.#upstreams.length === 0 ? undefined : (principal) => this.#prepare(principal),
    };
  }

  /** The counter of a tool, or of the server for the empty name. One with the same limits goes on counting. */
  #limitsFor(
    name: string,
    label: string,
    { perMinute, concurrent }: { perMinute?: number; concurrent?: number },
  ): CallLimits {
    const text = JSON.stringify([perMinute, concurrent]);
    const known = this.#limits.get(name);
    if (known?.text === text) return known.limits;
    const limits = createLimits(label, {
      ...(perMinute !== undefined && { perMinute }),
      ...(concurrent !== undefined && { concurrent }),
    });
    this.#limits.set(name, { text, limits });
    return limits;
  }

  #isDraft(name: string, { operationId }: ToolRoute): boolean {
    return (overrideOf(this.config, name, operationId)?.status ?? this.config.tools?.[name]?.status) === "draft";
  }

  #describe(name: string, route: ToolRoute): ToolInfo {
    const listing = listingOf(name, route);
    const bytes = Buffer.byteLength(JSON.stringify(listing));
    const status = this.#isDraft(name, route) ? "draft" : "active";
    const rewritten = route.shown?.changes ?? [];
    return { listing, rewritten, source: route.source, status, bytes, tokens: Math.ceil(bytes / 4) };
  }

  /** Resolves when the tools of all upstreams are known. */
  async #prepare(principal: string | undefined): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.ready(principal)));
  }

  /** Ends the call of a task that waits for an answer. It was the caller's, or `next` had thrown. */
  async #cancelTask({ params }: RequestCall, next: Parameters<ServerMiddleware>[1]): Promise<object> {
    const result = await next();
    this.#waiting.cancelled(String((params as { readonly taskId?: unknown } | undefined)?.taskId));
    return result;
  }

  /** Lists what calls would find: no drafts, nothing that the access rules refuse, and in search mode the three tools alone. */
  async #list(request: RequestCall, next: Parameters<ServerMiddleware>[1]): Promise<object> {
    const { tools, search, allows } = this.#policy;
    const { principal } = request.context;
    const isAdmin = request.origin.binding === ADMIN_BINDING;
    const isListed = (name: string): boolean => {
      if (search !== undefined) return search.names.has(name);
      return isAdmin || (tools.get(name)?.isDraft !== true && allows(principal, name));
    };
    const hidesSome = search !== undefined || [...tools.keys()].some((name) => !isListed(name));
    if (hidesSome) request.showOnly((item) => isListed(String((item as { name?: unknown }).name)));
    return asListed(await next(), tools);
  }
}

/**
 * Adds the output schemas, which the SDK does not know: it would check results against them. Shows the inputs that callers are to see:
 * the SDK checks arguments against the originals.
 */
function asListed(result: object, tools: ReadonlyMap<string, PolicyTool>): object {
  const { tools: listed } = result as { readonly tools?: readonly { readonly name: string }[] };
  if (listed === undefined) return result;
  const isOther = ({ name }: { readonly name: string }): boolean => {
    const route = tools.get(name)?.route;
    return route?.output !== undefined || route?.shown !== undefined;
  };
  if (!listed.some(isOther)) return result;
  const shown = listed.map((item) => {
    const { output, shown: input } = tools.get(item.name)?.route ?? {};
    return {
      ...item,
      ...(input !== undefined && { inputSchema: input.schema }),
      ...(output !== undefined && { outputSchema: output }),
    };
  });
  return { ...result, tools: shown };
}

/** A route with other members. */
function changed(route: ToolRoute, members: Partial<ToolRoute>): ToolRoute {
  const given = Object.entries(members).map(([name, value]) => [name, { value, enumerable: true }] as const);
  // The methods of a route are on its prototype.
  return given.length === 0 ? route : (Object.create(route, Object.fromEntries(given)) as ToolRoute);
}

/** Schemas that the operator wrote are compiled by ajv, on first use. It generates code, so those of documents and upstreams are interpreted. */
const OWN_SCHEMAS: SchemaValidator = createAjvValidator();

function validatorFor(own: WeakSet<object>): SchemaValidator {
  return {
    compile: (schema) =>
      (typeof schema === "object" && own.has(schema) ? OWN_SCHEMAS : untrustedSchemaValidator).compile(schema),
  };
}

/** Refuses a slug that two sources claim. */
export function slugTaken(slug: string): UsageError {
  return new UsageError("DUPLICATE_NAME", `The server ${JSON.stringify(slug)} is in the configuration file already.`);
}
