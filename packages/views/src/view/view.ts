import type { ContentBlock, LoggingLevel, ReadResourceResult, ToolTypes } from "@toolwire/protocol";
import { TOOL_PREFIX_META } from "@toolwire/protocol/views";
import { CODES, isRecord, METHODS, ViewError } from "../messages/message.ts";
import type { Peer } from "../messages/peer.ts";
import { KEPT_STATE, type DisplayMode, type HostCapabilities, type HostContext } from "../model/context.ts";
import type { ViewCallArguments, ViewResult, ViewState } from "./types.ts";

/** What a host has said when a view was connected. */
export interface Greeting {
  readonly host: { readonly name: string; readonly version: string } | undefined;
  readonly capabilities: HostCapabilities;
  readonly context: HostContext;
}

/** A view that is connected to its host. `connectView()` makes it. */
export class View<Input = unknown, Output = unknown, Tools extends ToolTypes = ToolTypes> {
  readonly #peer: Peer;
  readonly #greeting: Greeting;
  readonly #listeners = new Set<(state: ViewState<Input, Output>) => void>();
  readonly #endings = new Set<(reason: string | undefined) => unknown>();
  #state: ViewState<Input, Output>;
  #keep: (() => unknown) | undefined;

  /** @internal */
  constructor(peer: Peer, greeting: Greeting) {
    this.#peer = peer;
    this.#greeting = greeting;
    const { context } = greeting;
    this.#state = { input: undefined, partialInput: undefined, result: undefined, cancelled: undefined, context };
  }

  /** What the view knows at the moment. A new object after each change, so that frameworks can compare it. */
  get state(): ViewState<Input, Output> {
    return this.#state;
  }

  /** The name and version of the host, as it says itself. */
  get host(): Greeting["host"] {
    return this.#greeting.host;
  }

  /** What the host can do. */
  get capabilities(): HostCapabilities {
    return this.#greeting.capabilities;
  }

  /** What {@link keepState} has kept before the view was replaced; `undefined` if it was not. */
  get keptState(): unknown {
    return this.#greeting.context[KEPT_STATE];
  }

  /** Calls a listener after each change of `state`. Returns what ends that. Needs no `this`: stores of frameworks take it as it is. */
  readonly subscribe = (listener: (state: ViewState<Input, Output>) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Says which state to keep if the host replaces the view, in development after a change of its file. It must be JSON. */
  keepState(get: () => unknown): void {
    this.#keep = get;
  }

  /** Calls a listener before the host removes the view. The host waits for it, for a short time. Returns what ends that. */
  beforeEnd(listener: (reason: string | undefined) => unknown): () => void {
    this.#endings.add(listener);
    return () => void this.#endings.delete(listener);
  }

  /**
   * Calls a tool of the server that the view belongs to. The host may ask the user first. Rejects if the call was refused or could not
   * be made; if the tool has failed, the result has `isError`.
   */
  async callTool<Name extends keyof Tools & string>(
    name: Name,
    ...[args]: ViewCallArguments<Tools[Name]["input"]>
  ): Promise<ViewResult<Tools[Name]["output"]>> {
    const prefix: unknown = this.#state.context.toolInfo?.tool?._meta?.[TOOL_PREFIX_META];
    // Another server offers the tools under names of its own. Hosts that know of that find a tool by either name.
    const offered = typeof prefix === "string" ? prefix + name : name;
    const result = await this.#peer.request("tools/call", { name: offered, arguments: args ?? {} });
    return result as ViewResult<Tools[Name]["output"]>;
  }

  /** Reads a resource of the server. */
  async readResource(uri: string): Promise<ReadResourceResult> {
    return (await this.#peer.request("resources/read", { uri })) as ReadResourceResult;
  }

  /** Asks the host to open a page outside of the view. */
  async openLink(url: string): Promise<void> {
    expectDone(await this.#peer.request(METHODS.openLink, { url }), "The link was not opened.");
  }

  /** Says something in the conversation, as the user. */
  async sendMessage(content: string | readonly ContentBlock[]): Promise<void> {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    expectDone(
      await this.#peer.request(METHODS.message, { role: "user", content: blocks }),
      "The message was not sent.",
    );
  }

  /** Tells the model what the view shows, for its next turn. Replaces what the view has told before. */
  async updateContext(update: {
    readonly content?: readonly ContentBlock[] | undefined;
    readonly structuredContent?: { readonly [member: string]: unknown } | undefined;
  }): Promise<void> {
    await this.#peer.request(METHODS.updateContext, update);
  }

  /**
   * Asks for another way of being shown. Resolves to the way in which it is shown then, which may be another. Modes that the host does not
   * offer are not asked for.
   */
  async requestDisplayMode(mode: DisplayMode): Promise<DisplayMode> {
    const { displayMode = "inline", availableDisplayModes = [] } = this.#state.context;
    if (!availableDisplayModes.includes(mode)) return displayMode;
    const { mode: given } = (await this.#peer.request(METHODS.requestDisplayMode, { mode })) as { mode?: DisplayMode };
    return given ?? displayMode;
  }

  /** Tells the host something for its log. */
  log(level: LoggingLevel, data: unknown): void {
    this.#peer.notify("notifications/message", { level, data });
  }

  /** @internal A notification of the host. */
  hear(method: string, params: { readonly [param: string]: unknown }): void {
    const args = isRecord(params["arguments"]) ? params["arguments"] : {};
    if (method === METHODS.toolInput) this.#change({ input: args as Input, partialInput: undefined });
    else if (method === METHODS.partialToolInput) this.#change({ partialInput: args });
    else if (method === METHODS.toolResult) this.#change({ result: params as never });
    else if (method === METHODS.toolCancelled) {
      const reason = typeof params["reason"] === "string" ? params["reason"] : undefined;
      this.#change({ cancelled: { reason } });
    } else if (method === METHODS.contextChanged) this.#change({ context: { ...this.#state.context, ...params } });
  }

  /** @internal The host is about to remove the view. Resolves to what its answer says. */
  async end(reason: string | undefined): Promise<object> {
    await Promise.allSettled([...this.#endings].map(async (listener) => listener(reason)));
    return this.#keep === undefined ? {} : { [KEPT_STATE]: this.#keep() };
  }

  #change(change: Partial<ViewState<Input, Output>>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener(this.#state);
  }
}

/** Hosts of other makers refuse by a result. */
function expectDone(result: object, problem: string): void {
  if ((result as { readonly isError?: unknown }).isError === true) throw new ViewError(CODES.refused, problem);
}
