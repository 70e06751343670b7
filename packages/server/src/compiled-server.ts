import { isObject, type PerRequestMeta } from "@toolwire/protocol/internal";
import {
  isRevision,
  MetaKey,
  REVISIONS,
  UsageError,
  type Exchange,
  type Implementation,
  type NotificationMessage,
  type Reply,
  type RequestMessage,
  type ResultMeta,
  type Revision,
  type ServerCapabilities,
} from "@toolwire/protocol";
import {
  defined,
  expectBoolean,
  expectChoice,
  expectCount,
  expectFunction,
  expectFunctions,
  expectKnownNames,
  expectLimit,
  expectOption,
  expectTexts,
  type OptionNames,
} from "./define/check-options.ts";
import {
  CACHED_RESULTS,
  type CacheHints,
  type Definition,
  SERVER_OPTIONS,
  type ServerOptions,
} from "./define/options.ts";
import { checkExtensions } from "./define/names.ts";
import { SERVER_HINTS } from "./define/other-names.ts";
import { printDiagnostic } from "./diagnostics.ts";
import { Dispatcher } from "./dispatcher.ts";
import { readSecrets } from "./input/seal.ts";
import { findLegacyEra, loadLegacyEra } from "./legacy/era.ts";
import type { CacheHint, ListSettings } from "./registry/pages.ts";
import { PromptRegistry } from "./registry/prompts.ts";
import { ResourceRegistry } from "./registry/resources.ts";
import { Schemas } from "./registry/schemas.ts";
import { ToolRegistry } from "./registry/tools.ts";
import type { Server } from "./server.ts";
import type { Diagnostic, LegacySession, Origin, SessionLink } from "./binding.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";

/** A definition that was checked and made ready: what users, bindings and request handlers see of it. */
export class CompiledServer implements Server, Definition {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly revisions: readonly Revision[];
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  readonly prompts: PromptRegistry;
  readonly schemas: Schemas;
  readonly subscriptions: Subscriptions = new Subscriptions();
  readonly maxSubscriptions: number;
  readonly cache: CacheHints;
  readonly unknownTool: "error" | "result";
  readonly hasLogging: boolean;
  readonly inputTimeout: number;
  readonly resultMeta: ResultMeta | undefined;
  readonly #options: ServerOptions;
  readonly #onDiagnostic: (event: Diagnostic) => unknown;
  readonly #dispatcher: Dispatcher;
  readonly #stateKeys: readonly Uint8Array<ArrayBuffer>[];
  #capabilities: ServerCapabilities | undefined;
  #hasCompletions = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#onDiagnostic = expectFunction("onDiagnostic", options.onDiagnostic ?? printDiagnostic);
    this.info = readInfo(options);
    expectKnownNames("createServer", options, SERVER_OPTIONS, SERVER_HINTS);
    checkForms(options);
    this.instructions = options.instructions;
    this.revisions = readRevisions(options.revisions);
    this.cache = readCache(options.cache ?? {});
    this.unknownTool = expectChoice("unknownTool", ["error", "result"], options.unknownTool);
    checkExtensions(options.extensions);
    this.hasLogging = expectBoolean("logging", options.logging, true);
    this.inputTimeout = expectLimit("inputTimeout", options.inputTimeout ?? 600_000);
    // Every result says where it comes from; what else there is to know about the server is said once, by discovery.
    const sender = { name: this.info.name, version: this.info.version };
    this.resultMeta = expectBoolean("serverInfo", options.serverInfo, true)
      ? { [MetaKey.ServerInfo]: sender }
      : undefined;
    this.schemas = new Schemas(options.validator);
    this.maxSubscriptions = expectLimit("maxSubscriptions", options.maxSubscriptions ?? 100, 0);
    this.#stateKeys = readSecrets(options.stateKey);

    this.tools = new ToolRegistry(this.schemas, this.#listSettings(this.cache.tools), () => this.#changed("tools"));
    this.prompts = new PromptRegistry(this.schemas, this.#listSettings(this.cache.prompts), () =>
      this.#changed("prompts"),
    );
    this.resources = new ResourceRegistry(
      this.#listSettings(this.cache.resources),
      this.#listSettings(this.cache.templates),
      () => this.#changed("resources"),
      (change) => this.subscriptions.announce(change),
    );
    for (const kind of ["tools", "resources", "prompts"] as const) {
      for (const [name, definition] of Object.entries(options[kind] ?? {})) this[kind].add(name, definition as never);
    }
    this.#dispatcher = new Dispatcher(this, expectFunctions("middleware", options.middleware ?? []));
  }

  get name(): string {
    return this.info.name;
  }

  get version(): string {
    return this.info.version;
  }

  get capabilities(): ServerCapabilities {
    return (this.#capabilities ??= this.#deriveCapabilities());
  }

  /** A method, so that no key is shown where a server is printed or written as JSON. */
  listStateKeys(): readonly Uint8Array<ArrayBuffer>[] {
    return this.#stateKeys;
  }

  async ready(): Promise<void> {
    await loadLegacyEra();
  }

  serve(request: RequestMessage, reply: Reply, origin: Origin, meta?: PerRequestMeta): Exchange {
    return this.#dispatcher.serve(request, reply, origin, meta);
  }

  hear(message: NotificationMessage, origin: Origin): void {
    if (message.method === "notifications/initialized") origin.session?.start();
  }

  openSession(link: SessionLink): LegacySession {
    const era = findLegacyEra();
    if (era !== undefined) return era.openSession(link, this.subscriptions);
    throw new UsageError("INVALID_STATE", "Await `server.ready()` before any session.");
  }

  endSubscriptions(connection?: object): void {
    this.subscriptions.end(connection);
  }

  async diagnose(event: Diagnostic): Promise<void> {
    try {
      // It may be an asynchronous function, and fail later.
      await this.#onDiagnostic(event);
    } catch {
      // A hook that fails must not bring down what it watches.
    }
  }

  /**
   * What is there can be used. A kind that was given, though empty, is declared too: it may fill up later. So is one of
   * which nothing is left: clients that know of it are to find it empty rather than gone.
   */
  #deriveCapabilities(): ServerCapabilities {
    const { tools, resources, prompts, extensions, experimental } = this.#options;
    const completable = [...this.prompts.entries(), ...this.resources.families.values()];
    this.#hasCompletions ||= completable.some(({ complete }) => complete.size > 0);
    return defined<ServerCapabilities>({
      tools: tools !== undefined || this.tools.wasUsed ? { listChanged: true } : undefined,
      resources: resources !== undefined || this.resources.wasUsed ? { listChanged: true, subscribe: true } : undefined,
      prompts: prompts !== undefined || this.prompts.wasUsed ? { listChanged: true } : undefined,
      completions: this.#hasCompletions ? {} : undefined,
      logging: this.hasLogging ? {} : undefined,
      extensions,
      experimental,
    });
  }

  #changed(list: "tools" | "resources" | "prompts"): void {
    this.#capabilities = undefined;
    this.subscriptions.announce({ list });
  }

  #listSettings(cache: CacheHint | undefined): ListSettings {
    const pageSize = expectLimit("pageSize", this.#options.pageSize ?? 1000);
    return { pageSize, cache, resultMeta: this.resultMeta };
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

/** What is looked up by name. */
const NAMED = /^(tools|resources|prompts|extensions|experimental|cache)$/;

/** Refuses what would be taken for nothing at all: `null`, and lists and maps where something is looked up by name. */
function checkForms(options: ServerOptions): void {
  expectTexts(options);
  for (const [option, value = {}] of Object.entries(options)) {
    const isNamed = NAMED.test(option);
    const fits = isNamed ? isObject(value) && !(Symbol.iterator in value) : value !== null;
    const expected = isNamed ? "a plain object, no list or map" : "left out if there is none";
    expectOption(option, value, fits, expected);
  }
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
function readRevisions(given: readonly Revision[] = REVISIONS): readonly Revision[] {
  const fits = Array.isArray(given) && given.length > 0 && given.every(isRevision);
  expectOption("revisions", given, fits, `a list of some of ${REVISIONS.join(", ")}`);
  return REVISIONS.filter((revision) => given.includes(revision));
}
