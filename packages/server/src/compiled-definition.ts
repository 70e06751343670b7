import {
  isObject,
  expectBoolean,
  expectChoice,
  expectCount,
  expectFunction,
  expectFunctions,
  expectKnownNames,
  expectLimit,
  expectOption,
  type OptionNames,
} from "@toolwire/protocol/internal";
import {
  MetaKey,
  UsageError,
  type Implementation,
  type ResultMeta,
  type Revision,
  type ServerCapabilities,
  type Tool,
} from "@toolwire/protocol";
import { AttachedCluster, type DetachCluster } from "./cluster/attached.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { RateLimitStore } from "./cluster/stores.ts";
import { defined, expectListingTexts } from "./define/check-options.ts";
import { prepareSignature, type Signature } from "./content/text-result.ts";
import { GuardedObserver } from "./define/guarded-observer.ts";
import type { DefinitionLinter, OfferedDefinitions } from "./define/lint.ts";
import type { ServerMiddleware } from "./define/middleware.ts";
import type { ServerObserver } from "./define/observer.ts";
import {
  CACHED_RESULTS,
  type CacheHint,
  type CacheHints,
  SERVER_OPTIONS,
  type ServerOptions,
} from "./define/options.ts";
import type { ListedItems } from "./define/extension.ts";
import { SERVER_HINTS } from "./define/other-names.ts";
import { type ServerDiagnostic, printDiagnostic } from "./diagnostics.ts";
import { CompiledExtensions } from "./extensions/compiled-extensions.ts";
import { readSecrets } from "./input/seal.ts";
import type { Definition } from "./registry/definition.ts";
import type { Entry } from "./registry/registry.ts";
import type { ListSettings } from "./registry/pages.ts";
import { PromptRegistry } from "./registry/prompts.ts";
import { ResourceRegistry } from "./registry/resources.ts";
import { Schemas } from "./registry/schemas.ts";
import { ToolRegistry } from "./registry/tools.ts";
import { contextTypeOf } from "./request/extended-context.ts";
import { ServerLimits } from "./request/server-limits.ts";
import type { ListName } from "./subscriptions/changes.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";

const LISTS: readonly ListName[] = ["tools", "resources", "prompts"];

/** The options of a server, checked and made ready to serve requests. */
export class CompiledDefinition implements Definition {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly revisions: readonly Revision[];
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  readonly prompts: PromptRegistry;
  readonly schemas: Schemas;
  readonly subscriptions: Subscriptions = new Subscriptions(() => LISTS.filter((list) => this.capabilities[list]));
  readonly maxSubscriptions: number;
  readonly cluster: AttachedCluster;
  readonly cache: CacheHints;
  readonly unknownTool: "error" | "result";
  readonly extensions: CompiledExtensions | undefined;
  readonly hasLogging: boolean;
  readonly inputTimeout: number;
  readonly resultMeta: ResultMeta | undefined;
  readonly signature: Signature;
  readonly middleware: readonly ServerMiddleware[] | undefined;
  readonly observer: GuardedObserver | undefined;
  readonly #options: ServerOptions;
  readonly #onDiagnostic: (event: ServerDiagnostic) => unknown;
  readonly #stateKeys: readonly Uint8Array[];
  #capabilities: ServerCapabilities | undefined;
  readonly #declared = new Map<Revision, ServerCapabilities>();
  #hasCompletions = false;
  #limits: RateLimitStore | undefined;

  /** `supported` are all revisions that a server can speak, newest first. */
  constructor(options: ServerOptions, supported: readonly Revision[]) {
    this.#options = options;
    this.#onDiagnostic = expectFunction("onDiagnostic", options.onDiagnostic ?? printDiagnostic);
    this.info = readInfo(options);
    expectKnownNames("createServer", options, SERVER_OPTIONS, SERVER_HINTS);
    checkForms(options);
    this.instructions = options.instructions;
    this.revisions = readRevisions(supported, options.revisions);
    this.cache = readCache(options.cache ?? {});
    this.unknownTool = expectChoice("unknownTool", ["error", "result"], options.unknownTool);
    this.hasLogging = expectBoolean("logging", options.logging, true);
    this.inputTimeout = expectLimit("inputTimeout", options.inputTimeout, 600_000);
    // Every result names the server; `server/discover` says the rest.
    const sender = { name: this.info.name, version: this.info.version };
    this.resultMeta = expectBoolean("serverInfo", options.serverInfo, true)
      ? { [MetaKey.ServerInfo]: sender }
      : undefined;
    this.signature = prepareSignature({ resultType: "complete", ...(this.resultMeta && { _meta: this.resultMeta }) });
    const middleware = expectFunctions("middleware", options.middleware ?? []);
    this.middleware = middleware.length === 0 ? undefined : middleware;
    const observer = readObserver(options.observe);
    this.observer = observer && new GuardedObserver(observer, (event) => void this.diagnose(event));
    this.schemas = new Schemas(options.validator);
    this.extensions = this.#readExtensions();
    this.maxSubscriptions = expectLimit("maxSubscriptions", options.maxSubscriptions, 100, 0);
    this.#stateKeys = readSecrets(options.stateKey);
    this.cluster = new AttachedCluster(`the server "${this.info.name}"`, (cluster) => this.#join(cluster));

    this.tools = new ToolRegistry(this.schemas, this.#listSettings("tools"), this.extensions, () =>
      this.#changed("tools"),
    );
    this.prompts = new PromptRegistry(this.schemas, this.#listSettings("prompts"), () => this.#changed("prompts"));
    this.resources = new ResourceRegistry(
      this.#listSettings("resources"),
      this.#listSettings("resourceTemplates"),
      () => this.#changed("resources"),
      (change) => this.subscriptions.announce(change),
    );
    for (const source of [options, ...(this.extensions?.all ?? [])]) {
      for (const kind of LISTS) {
        for (const [name, definition] of Object.entries(source[kind] ?? {})) this[kind].add(name, definition as never);
      }
    }
    if (options.lint !== undefined) this.#lintLater(expectFunction("lint", options.lint));
  }

  get limits(): RateLimitStore | undefined {
    return this.#limits;
  }

  get capabilities(): ServerCapabilities {
    return (this.#capabilities ??= this.#deriveCapabilities());
  }

  capabilitiesIn(revision: Revision): ServerCapabilities {
    const { capabilities } = this;
    let declared = this.#declared.get(revision);
    if (declared === undefined) {
      declared = this.extensions?.declareIn(revision, capabilities) ?? capabilities;
      this.#declared.set(revision, declared);
    }
    return declared;
  }

  /** A method, so that no key is shown where a server is printed or written as JSON. */
  listStateKeys(): readonly Uint8Array[] {
    return this.#stateKeys;
  }

  async diagnose(event: ServerDiagnostic): Promise<void> {
    try {
      // It may be an asynchronous function, and fail later.
      await this.#onDiagnostic(event);
    } catch {
      // A failing hook must not make the server fail.
    }
  }

  /**
   * Declares each kind that was given or used. An empty kind may fill up later, and clients that know of one should find
   * it empty rather than gone.
   */
  #deriveCapabilities(): ServerCapabilities {
    const { tools, resources, prompts, experimental } = this.#options;
    const completable = [...this.prompts.entries(), ...this.resources.families.values()];
    this.#hasCompletions ||= completable.some(({ complete }) => complete.size > 0);
    return defined<ServerCapabilities>({
      tools: tools !== undefined || this.tools.wasUsed ? { listChanged: true } : undefined,
      resources: resources !== undefined || this.resources.wasUsed ? { listChanged: true, subscribe: true } : undefined,
      prompts: prompts !== undefined || this.prompts.wasUsed ? { listChanged: true } : undefined,
      completions: this.#hasCompletions ? {} : undefined,
      logging: this.hasLogging ? {} : undefined,
      experimental,
    });
  }

  /** Looks at the definitions when those are there that the program adds right after it has made the server. */
  #lintLater(lint: DefinitionLinter): void {
    // No timer: some runtimes refuse timers while a module loads.
    queueMicrotask(() => {
      try {
        const listingsOf = (entries: Iterable<Entry>): never[] =>
          Array.from(entries, ({ listing }) => listing as never);
        const offered: OfferedDefinitions = {
          name: this.info.name,
          tools: listingsOf(this.tools.entries()),
          prompts: listingsOf(this.prompts.entries()),
          resources: listingsOf(this.resources.single.values()),
        };
        for (const found of lint(offered)) void this.diagnose(found);
      } catch (error) {
        const message = "The function `lint` has failed, so that nobody has looked at the definitions.";
        void this.diagnose({ level: "warning", message, error });
      }
    });
  }

  #join({ bus, limits }: Cluster): DetachCluster {
    const { name } = this.info;
    this.#limits = new ServerLimits(limits, name);
    const endSharing = this.subscriptions.share(bus, name, (isUp) => {
      const level = isUp ? "info" : "warning";
      const state = isUp ? "can be reached again" : "cannot be reached";
      void this.diagnose({ level, message: `What "${name}" shares with other processes ${state}.` });
    });
    return () => {
      this.#limits = undefined;
      return endSharing();
    };
  }

  #changed(list: ListName): void {
    this.#capabilities = undefined;
    this.#declared.clear();
    this.subscriptions.announce({ list });
  }

  #readExtensions(): CompiledExtensions | undefined {
    const { extensions = [] } = this.#options;
    expectOption(
      "extensions",
      extensions,
      Array.isArray(extensions),
      'an array, such as [{ id: "com.example/flags" }]',
    );
    if (extensions.length === 0) return undefined;
    const compiled = new CompiledExtensions(extensions, this.revisions, (schema, way) =>
      this.schemas.describe(schema, way),
    );
    // Refuses members of contexts that there are already.
    contextTypeOf(compiled);
    return compiled;
  }

  #listSettings(kind: keyof ListedItems): ListSettings {
    const pageSize = expectLimit("pageSize", this.#options.pageSize, 1000);
    const { extensions } = this;
    const hint = this.cache[kind === "resourceTemplates" ? "templates" : kind];
    // Clients with other extensions get other lists.
    const cache = (extensions?.hiding ?? []).length > 0 ? { ...hint, scope: "private" as const } : hint;
    if (extensions?.changesLists !== true) return { pageSize, cache, list: undefined };
    const list = (item: object, revision: Revision): object | undefined => {
      const hooks = kind === "tools" ? this.tools.find((item as Tool).name)?.hooks : undefined;
      return extensions.list(kind, item as never, revision, hooks);
    };
    return { pageSize, cache, list };
  }
}

function readInfo({ name, version, title, description, websiteUrl, icons }: ServerOptions): Implementation {
  for (const [key, value] of Object.entries({ name, version })) {
    if (typeof value !== "string" || value === "") {
      throw new UsageError(
        "INVALID_DEFINITION",
        `A server needs a \`${key}\`, as in createServer({ name: "weather", version: "1.0.0" }).`,
      );
    }
  }
  return defined<Implementation>({ name, version, title, description, websiteUrl, icons });
}

/** The options that are objects with members by name. */
const OBJECT_OPTIONS: readonly string[] = [
  "tools",
  "resources",
  "prompts",
  "experimental",
  "cache",
] satisfies (keyof ServerOptions)[];

/** Refuses `null`, and lists and maps in place of plain objects: they would be taken for empty ones. */
function checkForms(options: ServerOptions): void {
  expectListingTexts(options);
  for (const [option, value = {}] of Object.entries(options)) {
    const isNamed = OBJECT_OPTIONS.includes(option);
    const fits = isNamed ? isObject(value) && !(Symbol.iterator in value) : value !== null;
    const expected = isNamed ? "a plain object, no list or map" : "left out if there is none";
    expectOption(option, value, fits, expected);
  }
}

const OBSERVER: OptionNames<ServerObserver> = {
  request: true,
  refusal: true,
  question: true,
  notification: true,
  session: true,
};

function readObserver(observer: ServerObserver | undefined): ServerObserver | undefined {
  if (observer === undefined) return undefined;
  expectOption("observe", observer, isObject(observer), "an object with functions, such as `serverTelemetry()` makes");
  expectKnownNames("observe", observer, OBSERVER);
  for (const [name, hear] of Object.entries(observer)) if (hear !== undefined) expectFunction(`observe.${name}`, hear);
  return observer;
}

/** Lifetimes must be whole and not negative (caching page). */
function readCache(cache: CacheHints): CacheHints {
  expectKnownNames("cache", cache, CACHED_RESULTS);
  for (const [what, hint = {}] of Object.entries<CacheHint | undefined>({ ...cache })) {
    expectOption(`cache.${what}`, hint, isObject(hint), "an object with `ttlMs` and `scope`");
    expectKnownNames(`cache.${what}`, hint, { ttlMs: true, scope: true } satisfies OptionNames<CacheHint>);
    expectCount(`cache.${what}.ttlMs`, hint.ttlMs ?? 0, 0);
    expectChoice(`cache.${what}.scope`, ["private", "public"], hint.scope);
  }
  return cache;
}

/** The revisions to speak, newest first whatever the order they were given in. */
function readRevisions(supported: readonly Revision[], given = supported): readonly Revision[] {
  const expected = `one of ${supported.join(", ")}`;
  expectOption("revisions", given, Array.isArray(given) && given.length > 0, `an array, each member ${expected}`);
  for (const [index, revision] of given.entries()) {
    expectOption(`revisions[${index}]`, revision, supported.includes(revision), expected);
  }
  return supported.filter((revision) => given.includes(revision));
}
