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
  ListToolsResult,
  LoggingLevel,
  MethodTypes,
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
import { UsageError } from "@toolwire/protocol";
import { servesMethod } from "@toolwire/protocol/internal";
import { copyJson } from "./messages/json.ts";
import type { FetchOptions, NotifyOptions, RequestOptions, ToolCallOptions } from "./call-options.ts";
import { checkOptions, findMistake, invalidCall } from "./check-options.ts";
import { askByName, expectDeclared, fetchPage, iterate, type ListOptions } from "./declared-features.ts";
import type { ClientExtension } from "./extensions/extension.ts";
import type { RemoteServer } from "./remote-server.ts";
import type { ChangeFilter } from "./messages/changes.ts";
import type { ChangeListener, Subscription } from "./subscriptions/subscription.ts";
import type {
  AnyMethod,
  AskingCallArguments,
  AskingCallOptions,
  PromptCallArguments,
  RequestArguments,
  RequestResult,
  ToolCallArguments,
  ToolCallOutcome,
  ToolCallResult,
} from "./types.ts";

/** The options of {@link Client.complete}. */
export interface CompleteOptions extends RequestOptions {
  /** The arguments of the prompt or template that are already filled in, by name. */
  readonly arguments?: { readonly [argument: string]: string } | undefined;
}

/** A connected client. Make one with `connect()`; close it when done. */
export class Client<
  Tools extends ToolTypes = ToolTypes,
  Prompts extends PromptTypes = PromptTypes,
  Methods extends MethodTypes = {},
> {
  readonly #server: RemoteServer;

  /** @internal */
  constructor(server: RemoteServer) {
    this.#server = server;
  }

  /** The revision that client and server agreed on. */
  get revision(): Revision {
    return this.#server.agreement.revision;
  }

  /** The era of that revision. */
  get era(): Era {
    return this.#server.agreement.era.name;
  }

  // These are copies: the client itself relies on the originals.

  /** The server's name and version. Self-reported: show it, log it, but do not base decisions on it. */
  get server(): Implementation | undefined {
    return copyJson(this.#server.agreement.server);
  }

  /** The capabilities that the server declared. */
  get capabilities(): ServerCapabilities {
    return copyJson(this.#server.agreement.capabilities);
  }

  /** The server's instructions, which tell the model how to use it. */
  get instructions(): string | undefined {
    return this.#server.agreement.instructions;
  }

  /** Resolves when the client is closed for good: with the reason, or `undefined` if `close()` was called. */
  get closed(): Promise<Error | undefined> {
    return this.#server.closed;
  }

  /**
   * Calls a tool. If the tool fails, the result has `isError`; give it to the model. The promise rejects if the call
   * itself fails: an unknown tool, a lost connection, a result that does not match the tool's output schema. Options that
   * extensions add may ask for something else than the result.
   */
  callTool<Name extends keyof Tools & string, Options extends AskingCallOptions>(
    name: Name,
    ...argsAndOptions: AskingCallArguments<Tools[Name]["input"], Options>
  ): Promise<ToolCallOutcome<ToolCallResult<Tools[Name]["output"]>, Options>>;
  callTool<Name extends keyof Tools & string>(
    name: Name,
    ...argsAndOptions: ToolCallArguments<Tools[Name]["input"]>
  ): Promise<ToolCallResult<Tools[Name]["output"]>>;
  callTool(name: string, args?: unknown, options?: ToolCallOptions): Promise<never> {
    return askByName(this.#server, "callTool", name, args, options) as Promise<never>;
  }

  /**
   * Gets one page of the server's tools. Tools that cannot be called, because their definition is invalid, are left
   * out.
   */
  listTools(options?: ListOptions): Promise<ListToolsResult> {
    return fetchPage<ListToolsResult>(this.#server, "tools", "tools/list", { tools: [] }, options);
  }

  /** Iterates over all tools of the server, page by page. */
  allTools(options?: FetchOptions): AsyncGenerator<Tool, void, undefined> {
    return iterate(
      this.#server,
      (cursor) => this.listTools({ ...options, cursor }),
      (page) => page.tools,
    );
  }

  /** Gets one page of the server's resources. */
  listResources(options?: ListOptions): Promise<ListResourcesResult> {
    return fetchPage<ListResourcesResult>(this.#server, "resources", "resources/list", { resources: [] }, options);
  }

  /** Iterates over all resources of the server, page by page. */
  allResources(options?: FetchOptions): AsyncGenerator<Resource, void, undefined> {
    return iterate(
      this.#server,
      (cursor) => this.listResources({ ...options, cursor }),
      (page) => page.resources,
    );
  }

  /** Gets one page of the server's resource templates. */
  listResourceTemplates(options?: ListOptions): Promise<ListResourceTemplatesResult> {
    return fetchPage<ListResourceTemplatesResult>(
      this.#server,
      "resources",
      "resources/templates/list",
      { resourceTemplates: [] },
      options,
    );
  }

  /** Iterates over all resource templates of the server, page by page. */
  allResourceTemplates(options?: FetchOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return iterate(
      this.#server,
      (cursor) => this.listResourceTemplates({ ...options, cursor }),
      (page) => page.resourceTemplates,
    );
  }

  /** Reads a resource. */
  async readResource(uri: string, options?: FetchOptions): Promise<ReadResourceResult> {
    if (typeof uri !== "string") {
      throw invalidCall("readResource", "a URI, a string, first: readResource(uri, options)", uri);
    }
    expectDeclared(this.#server, "resources");
    return (await this.#server.fetch("resources/read", { uri }, options)) as ReadResourceResult;
  }

  /** Gets one page of the server's prompts. */
  listPrompts(options?: ListOptions): Promise<ListPromptsResult> {
    return fetchPage<ListPromptsResult>(this.#server, "prompts", "prompts/list", { prompts: [] }, options);
  }

  /** Iterates over all prompts of the server, page by page. */
  allPrompts(options?: FetchOptions): AsyncGenerator<Prompt, void, undefined> {
    return iterate(
      this.#server,
      (cursor) => this.listPrompts({ ...options, cursor }),
      (page) => page.prompts,
    );
  }

  /** Gets a prompt, with its arguments filled in. */
  getPrompt<Name extends keyof Prompts & string>(
    name: Name,
    ...[args, options]: PromptCallArguments<Prompts[Name]["arguments"]>
  ): Promise<GetPromptResult> {
    return askByName(this.#server, "getPrompt", name, args, options) as Promise<GetPromptResult>;
  }

  /**
   * Suggests values for an argument that the user is typing. `options.arguments` has the arguments that are already filled
   * in. Every call is a request, so ask when typing pauses, and abort outdated calls.
   */
  async complete(
    ref: PromptReference | ResourceTemplateReference,
    argument: { readonly name: string; readonly value: string },
    options: CompleteOptions = {},
  ): Promise<CompleteResult> {
    const { arguments: filledIn, ...requestOptions } = options;
    checkOptions({ ref: ref ?? null, argument: argument ?? null, arguments: filledIn });
    expectDeclared(this.#server, "completions");
    const { era, revision } = this.#server.agreement;
    const method = "completion/complete";
    const params: CompleteParams = { ref, argument, ...(filledIn && { context: { arguments: filledIn } }) };
    const sent = era.restrictParams?.(method, params, revision) ?? params;
    return (await this.#server.call(method, sent, requestOptions)) as CompleteResult;
  }

  /**
   * Asks for the server's capabilities and supported revisions. A legacy server sent them during the handshake and is
   * not asked again.
   */
  async discover(options?: FetchOptions): Promise<DiscoverResult> {
    const { agreement } = this.#server;
    if (agreement.era.describe !== undefined) return agreement.era.describe(agreement);
    return (await this.#server.fetch("server/discover", {}, options)) as DiscoverResult;
  }

  /** Checks whether the server responds. Only legacy servers support this; with modern ones, use `discover()`. */
  async ping(options?: RequestOptions): Promise<void> {
    const { revision } = this;
    if (!servesMethod(revision, "ping", "client-to-server")) {
      throw new UsageError("UNSUPPORTED", `There is no ping in revision ${revision}: use \`discover()\`.`);
    }
    await this.#server.call("ping", undefined, options);
  }

  /**
   * Sets the lowest severity of log messages that the server should send. They go to the `onLog` of a call, or of the
   * client. Legacy servers keep the level for the connection; modern ones get it with each request.
   */
  async setLogLevel(level: LoggingLevel): Promise<void> {
    expectDeclared(this.#server, "logging");
    checkOptions({ logLevel: level });
    await this.#server.setLogLevel(level);
  }

  /**
   * Subscribes to changes of the lists of tools, prompts and resources, and of single resources. Resolves when the
   * server has said what it will announce; see `accepted`. The subscription lasts until one side closes it, and is
   * renewed after a reconnect.
   */
  subscribe(filter: ChangeFilter, listener: ChangeListener): Promise<Subscription> {
    return this.#server.subscribe(filter, listener);
  }

  /**
   * Tells the server that the roots have changed. Modern servers ask for roots whenever they need them, so nothing is
   * sent to them.
   */
  async rootsChanged(options?: NotifyOptions): Promise<void> {
    if (!this.#server.hasRoots) {
      throw new UsageError("UNSUPPORTED", "This client has no roots: give `roots` to `connect()`.");
    }
    const method = "notifications/roots/list_changed";
    if (servesMethod(this.revision, method, "client-to-server")) await this.notify(method, undefined, options);
  }

  /**
   * Sends any request. Requests of the protocol are typed, and those that extensions of a typed server add. Others, and those
   * with a method of type `string`, take and return any object.
   */
  request<Method extends AnyMethod<Methods>>(
    method: Method,
    ...paramsAndOptions: RequestArguments<Method, Methods>
  ): Promise<RequestResult<Method, Methods>>;
  request(method: string, params?: unknown, options?: RequestOptions): Promise<never> {
    const mistake = findMistake({ method: method ?? null, params });
    if (mistake !== undefined) return Promise.reject(mistake);
    return this.#server.call(method, { ...(params as object | undefined) }, options) as Promise<never>;
  }

  /**
   * Sends any notification. Rejects if it could not be sent in time, or if the connection ended before the server had
   * taken it.
   */
  async notify(method: string, params?: object, options?: NotifyOptions): Promise<void> {
    checkOptions({ ...options, options, method: method ?? null, params });
    await this.#server.notify(method, params && { ...params }, options);
  }

  /**
   * Returns what an extension offers to the application. Throws a `UsageError` if it is not one of those that `connect()` was
   * given, the very object.
   */
  use<Api extends object | undefined>(extension: ClientExtension<Api>): Api {
    return this.#server.use(extension);
  }

  /** Ends the connection. Pending calls reject. Closing twice is safe. */
  close(): Promise<void> {
    return this.#server.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
