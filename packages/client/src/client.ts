/// <reference lib="esnext.disposable" preserve="true" />
import type {
  CompleteParams,
  CompleteResult,
  DiscoverResult,
  Era,
  GetPromptResult,
  Implementation,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListResult,
  ListToolsResult,
  LoggingLevel,
  Prompt,
  PromptReference,
  PromptTypes,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ResourceTemplateReference,
  Revision,
  ServerCapabilities,
  Tool,
  ToolTypes,
} from "@toolwire/protocol";
import { copyJson } from "./cache/result-cache.ts";
import type { FetchOptions, NotifyOptions, RequestOptions } from "./calls/options.ts";
import { complain, isRecord, refusalOf } from "./check-options.ts";
import type { Session } from "./session.ts";
import type { ChangeFilter } from "./subscriptions/filter.ts";
import type { ChangeListener, Subscription } from "./subscriptions/subscription.ts";
import type {
  AnyMethod,
  PromptCallArguments,
  RequestArguments,
  RequestResult,
  ToolCallArguments,
  ToolCallResult,
} from "./types.ts";

/** The options of a request for one page of a list. */
export interface ListOptions extends FetchOptions {
  /** The `nextCursor` of the previous page. Absent for the first page. */
  readonly cursor?: string | undefined;
}

/** A connected client. Make one with `connect()`; close it when done. */
export class Client<Tools extends ToolTypes = ToolTypes, Prompts extends PromptTypes = PromptTypes> {
  readonly #session: Session;

  /** @internal */
  constructor(session: Session) {
    this.#session = session;
  }

  /** The revision that client and server agreed on. */
  get revision(): Revision {
    return this.#session.agreement.revision;
  }

  /** The era of that revision. */
  get era(): Era {
    return this.#session.agreement.era;
  }

  // What it has said is handed out as a copy: the client goes on by what was said.

  /** The server's name and version. Self-reported: show it, log it, but do not base decisions on it. */
  get server(): Implementation | undefined {
    return copyJson(this.#session.agreement.server);
  }

  /** The capabilities that the server declared. */
  get capabilities(): ServerCapabilities {
    return copyJson(this.#session.agreement.capabilities);
  }

  /** The server's instructions, which tell the model how to use it. */
  get instructions(): string | undefined {
    return this.#session.agreement.instructions;
  }

  /** Resolves when the client is closed for good: with the reason, or `undefined` if `close()` was called. */
  get closed(): Promise<Error | undefined> {
    return this.#session.closed;
  }

  /**
   * Calls a tool. If the tool fails, the result has `isError`; give it to the model. The promise rejects if the call
   * itself fails: an unknown tool, a lost connection, a result that does not match the tool's output schema.
   */
  callTool<Name extends keyof Tools & string>(
    name: Name,
    ...[args, options]: ToolCallArguments<Tools[Name]["input"]>
  ): Promise<ToolCallResult<Tools[Name]["output"]>> {
    const result = this.#askByName("callTool", "tools", "tools/call", name, args, options);
    return result as Promise<ToolCallResult<Tools[Name]["output"]>>;
  }

  /**
   * Gets one page of the server's tools. Tools that cannot be called, because their definition is invalid, are left
   * out.
   */
  listTools(options?: ListOptions): Promise<ListToolsResult> {
    return this.#list<ListToolsResult>("tools", "tools/list", { tools: [] }, options);
  }

  /** Iterates over all tools of the server, page by page. */
  tools(options?: FetchOptions): AsyncGenerator<Tool, void, undefined> {
    return this.#all(
      (cursor) => this.listTools({ ...options, cursor }),
      (page) => page.tools,
    );
  }

  /** Gets one page of the server's resources. */
  listResources(options?: ListOptions): Promise<ListResourcesResult> {
    return this.#list<ListResourcesResult>("resources", "resources/list", { resources: [] }, options);
  }

  /** Iterates over all resources of the server, page by page. */
  resources(options?: FetchOptions): AsyncGenerator<Resource, void, undefined> {
    return this.#all(
      (cursor) => this.listResources({ ...options, cursor }),
      (page) => page.resources,
    );
  }

  /** Gets one page of the server's resource templates. */
  listResourceTemplates(options?: ListOptions): Promise<ListResourceTemplatesResult> {
    return this.#list<ListResourceTemplatesResult>(
      "resources",
      "resources/templates/list",
      { resourceTemplates: [] },
      options,
    );
  }

  /** Iterates over all resource templates of the server, page by page. */
  resourceTemplates(options?: FetchOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#all(
      (cursor) => this.listResourceTemplates({ ...options, cursor }),
      (page) => page.resourceTemplates,
    );
  }

  /** Reads a resource. */
  async readResource(uri: string, options?: FetchOptions): Promise<ReadResourceResult> {
    if (typeof uri !== "string") return complain("readResource", uri);
    if (this.#lacks("resources")) return complain("capability", "resources");
    return (await this.#session.fetch("resources/read", { uri }, options)) as ReadResourceResult;
  }

  /** Gets one page of the server's prompts. */
  listPrompts(options?: ListOptions): Promise<ListPromptsResult> {
    return this.#list<ListPromptsResult>("prompts", "prompts/list", { prompts: [] }, options);
  }

  /** Iterates over all prompts of the server, page by page. */
  prompts(options?: FetchOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.#all(
      (cursor) => this.listPrompts({ ...options, cursor }),
      (page) => page.prompts,
    );
  }

  /** Gets a prompt, with its arguments filled in. */
  getPrompt<Name extends keyof Prompts & string>(
    name: Name,
    ...[args, options]: PromptCallArguments<Prompts[Name]["arguments"]>
  ): Promise<GetPromptResult> {
    return this.#askByName("getPrompt", "prompts", "prompts/get", name, args, options) as Promise<GetPromptResult>;
  }

  /**
   * Suggests values for an argument that the user is typing. `context` has the arguments that are already filled in.
   * Every call is a request, so ask when typing pauses, and abort outdated calls.
   */
  complete(
    ref: PromptReference | ResourceTemplateReference,
    argument: { readonly name: string; readonly value: string },
    context?: { readonly [argument: string]: string },
    options?: RequestOptions,
  ): Promise<CompleteResult> {
    const refusal = refusalOf({ ref: ref ?? null, argument: argument ?? null });
    if (refusal) return refusal;
    const { revision } = this;
    // The first revision could complete, but not say so; context came with the third.
    if (revision > "2024-11-05" && this.#lacks("completions")) return complain("capability", "completions");
    const params: CompleteParams = {
      ref,
      argument,
      ...(context && revision >= "2025-06-18" && { context: { arguments: context } }),
    };
    return this.#session.call("completion/complete", params, options) as Promise<CompleteResult>;
  }

  /**
   * Asks for the server's capabilities and supported revisions. A legacy server sent them during the handshake and is
   * not asked again.
   */
  async discover(options?: FetchOptions): Promise<DiscoverResult> {
    const { agreement } = this.#session;
    if (agreement.era === "modern") {
      return (await this.#session.fetch("server/discover", {}, options)) as DiscoverResult;
    }
    const { toDiscovery } = await import("./parts/legacy.ts");
    return toDiscovery(agreement);
  }

  /** Checks whether the server responds. Only legacy servers support this; with modern ones, use `discover()`. */
  async ping(options?: RequestOptions): Promise<void> {
    const { revision, era } = this;
    if (era === "modern") await complain("ping", revision);
    await this.#session.call("ping", undefined, options);
  }

  /**
   * Sets the lowest severity of log messages that the server should send. They go to the `onLog` of a call, or of the
   * client. Legacy servers keep the level for the connection; modern ones get it with each request.
   */
  async setLogLevel(level: LoggingLevel): Promise<void> {
    if (this.#lacks("logging")) return complain("capability", "logging");
    await refusalOf({ logLevel: level });
    await this.#session.setLogLevel(level);
  }

  /**
   * Subscribes to changes of the lists of tools, prompts and resources, and of single resources. Resolves when the
   * server has said what it will announce; see `accepted`. The subscription lasts until one side closes it, and is
   * renewed after a reconnect.
   */
  subscribe(filter: ChangeFilter, listener: ChangeListener): Promise<Subscription> {
    return this.#session.subscribe(filter, listener);
  }

  /**
   * Tells the server that the roots have changed. Modern servers ask for roots whenever they need them, so nothing is
   * sent to them.
   */
  async rootsChanged(options?: NotifyOptions): Promise<void> {
    if (!this.#session.hasRoots) await complain("rootsChanged", "roots");
    if (this.era === "legacy") await this.notify("notifications/roots/list_changed", undefined, options);
  }

  /**
   * Sends any request. Requests of the protocol are typed. Those of an extension, or with a method of type `string`,
   * take and return any object.
   */
  request<Method extends AnyMethod>(
    method: Method,
    ...paramsAndOptions: RequestArguments<Method>
  ): Promise<RequestResult<Method>>;
  request(method: string, params?: object, options?: RequestOptions): Promise<object> {
    const refusal = refusalOf({ method: method ?? null, params });
    return refusal ?? this.#session.call(method, { ...params }, options);
  }

  /**
   * Sends any notification. Rejects if it could not be sent in time, or if the connection ended before the server had
   * taken it.
   */
  notify(method: string, params?: object, options?: NotifyOptions): Promise<void> {
    const refusal = refusalOf({ ...options, options, method: method ?? null, params });
    return refusal ?? this.#session.notify(method, params && { ...params }, options);
  }

  /** Ends the connection. Pending calls reject. Closing twice is safe. */
  close(): Promise<void> {
    return this.#session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Asks for something that has a name and takes arguments. */
  #askByName(
    caller: "callTool" | "getPrompt",
    capability: keyof ServerCapabilities,
    method: string,
    name: string,
    args: unknown,
    options: RequestOptions | undefined,
  ): Promise<object> {
    if (typeof name !== "string") return complain(caller, name);
    if (args !== undefined && !isRecord(args)) return complain("arguments", args);
    if (this.#lacks(capability)) return complain("capability", capability);
    return this.#session.call(method, args === undefined ? { name } : { name, arguments: args }, options);
  }

  /** A server without the capability has an empty list, and need not be asked. */
  async #list<Page extends ListResult>(
    capability: keyof ServerCapabilities,
    method: string,
    empty: Page,
    options: ListOptions | undefined,
  ): Promise<Page> {
    if (this.#lacks(capability)) return empty;
    const cursor = options?.cursor;
    const params = cursor === undefined ? {} : { cursor };
    return (await this.#session.fetch(method, params, options)) as Page;
  }

  /** All items of a list. A modern server has no sessions that cursors could belong to. */
  async *#all<Page extends ListResult, Item>(
    fetchPage: (cursor: string | undefined) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ): AsyncGenerator<Item, void, undefined> {
    const { allItems } = await import("./parts/later.ts");
    yield* allItems(fetchPage, itemsOf, () => this.era === "legacy" && this.#session.agreement);
  }

  #lacks(capability: keyof ServerCapabilities): boolean {
    return this.#session.agreement.capabilities[capability] === undefined;
  }
}
