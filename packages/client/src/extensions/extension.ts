import type {
  CallToolParams,
  CallToolResult,
  ClientCapabilities,
  Era,
  Implementation,
  InputResponse,
  JsonObject,
  JsonValue,
  NotificationMessage,
  Revision,
  ServerCapabilities,
  Tool,
} from "@toolwire/protocol";
import type { RequestOptions, ToolCallOptions } from "../call-options.ts";
import type { ClientDiagnostic } from "../diagnostics.ts";
import type { InputContext } from "../input/handlers.ts";

/**
 * An extension of the protocol, as a client supports it: a plain object that lists what it adds. It never gets the client itself, and
 * cannot replace what the protocol defines. Give it to `connect(url, { extensions: [ … ] })`.
 *
 * @example
 * ```ts
 * const flags = {
 *   id: "com.example/flags",
 *   methods: { "com.example/flags/get": { nameParam: "name" } },
 *   api: (server: ExtensionClient) => ({
 *     get: (name: string) => server.request("com.example/flags/get", { name }),
 *   }),
 * } satisfies ClientExtension<object>;
 *
 * const client = await connect(url, { extensions: [flags] });
 * await client.use(flags).get("dark-mode");
 * ```
 */
export interface ClientExtension<Api extends object | undefined = object | undefined> {
  /** The name under which it is declared: `com.example/flags`. */
  readonly id: string;
  /**
   * The settings that the client declares for it, for all revisions or for each. Default: `{}`. `undefined` for a revision: it is not
   * declared there, and none of its methods exist there unless they name the revision.
   */
  readonly settings?: JsonObject | ((revision: Revision) => JsonObject | undefined) | undefined;
  /** Capabilities that the client declares beside it. */
  readonly capabilities?: ((revision: Revision) => ClientCapabilities | undefined) | undefined;

  /** Requests that servers of the extension answer, by method. */
  readonly methods?: { readonly [method: string]: SentMethod } | undefined;
  /** Gets notifications of servers, by method. */
  readonly notifications?:
    | { readonly [method: string]: (params: JsonObject, client: ExtensionClient) => void }
    | undefined;
  /** The members of the filter of `subscriptions/listen` (2026-07-28) that {@link ExtensionClient.subscribe} may use. */
  readonly topics?: readonly string[] | undefined;
  /**
   * Results that are not final yet, by their `resultType`. A type without an entry is refused, as the protocol demands, and so is one of
   * a server that has not declared the extension.
   */
  readonly resultTypes?: { readonly [type: string]: InterimResult } | undefined;

  /** The names of the options of `callTool()` that it adds by {@link CallMembers}. */
  readonly callMembers?: readonly string[] | undefined;
  /**
   * Runs around each `tools/call`, outside of the middleware of the client. `next` sends the call, with other parameters or options if any
   * are given. What it returns is what the caller gets: the result, or what {@link CallOutcomes} says for an option of the call.
   */
  readonly call?: ((call: ExtendedCall, next: ExtendedNext) => Promise<object>) | undefined;

  /** Makes what `client.use(extension)` returns, once for each client. */
  readonly api?: ((client: ExtensionClient) => Api) | undefined;
}

/** A request that an extension adds. */
export interface SentMethod {
  /** The parameter that the header `Mcp-Name` repeats over HTTP, so that proxies can route by it (2026-07-28). */
  readonly nameParam?: string | undefined;
  /** The revisions in which the method exists. Default: those in which the extension is declared. */
  readonly revisions?: readonly Revision[] | undefined;
}

/** A result that the client does not hand out, but waits with until there is a final one. */
export interface InterimResult {
  /** The methods that servers may answer with it. As an answer to any other, it is refused. */
  readonly methods: readonly string[];
  /** Recognises such a result in revisions that have no `resultType`. Absent: there are none. */
  readonly recognizes?: ((result: JsonObject) => boolean) | undefined;
  /**
   * Waits for the final result, which is then checked like any other. Its caller sees nothing of this. When the signal of the call aborts,
   * the caller is told at once, whatever becomes of the promise.
   */
  settle(result: JsonObject, call: SettledCall): Promise<object>;
}

/** A call whose result is not final yet. */
export interface SettledCall {
  readonly method: string;
  readonly params: object | undefined;
  readonly options: ToolCallOptions;
  /** Aborts when nobody waits for the result any more: the caller gave up, its time is over, or the client is closed. */
  readonly signal: AbortSignal;
  readonly client: ExtensionClient;
}

/** A call of a tool, as an extension sees it before it is sent. */
export interface ExtendedCall {
  readonly params: CallToolParams;
  readonly options: ToolCallOptions;
  readonly client: ExtensionClient;
}

/** Sends a call, with other parameters or options if any are given. */
export type ExtendedNext = (changed?: {
  readonly params?: CallToolParams | undefined;
  readonly options?: ToolCallOptions | undefined;
}) => Promise<object>;

/** A connected client, as one of its extensions sees it. */
export interface ExtensionClient {
  /** The agreement between client and server. A reconnect replaces it. */
  readonly agreement: ExtensionAgreement;
  /** Where the server is, without credentials. `undefined` where that says nothing: transports of your own, secret addresses. */
  readonly place: string | undefined;
  /** Resolves when the client is closed for good. */
  readonly closed: Promise<Error | undefined>;
  /** Aborts when the client is closed for good. */
  readonly over: AbortSignal;
  /** Sends a request through the middleware of the client, as `client.request()` does. Extensions do not see it. */
  request(method: string, params?: object, options?: RequestOptions): Promise<object>;
  /** Finds a tool as the server lists it. If it has not been listed yet, the server is asked. */
  findTool(name: string, options?: RequestOptions): Promise<Tool | undefined>;
  /**
   * Learns tools that the server has told of in another way than by its list, so that calls of them are checked and get their headers like
   * those of all others. Returns those that can be called. They are forgotten when the server announces that its tools have changed.
   */
  learnTools(tools: readonly Tool[]): readonly Tool[];
  /**
   * Answers a question of the server by the handlers of the client, after the checks that questions of a modern server always have to
   * pass. Rejects if the question is malformed, or of a kind that the client does not declare.
   */
  answer(question: unknown, context: QuestionContext): Promise<InputResponse>;
  /** Checks what a tool has returned, as `callTool()` does: its form, and the structured content against the output schema. */
  checkResult(tool: string, result: object, options?: RequestOptions): Promise<CallToolResult>;
  /**
   * Subscribes to a topic of the extension, on a stream of its own, which is renewed after a reconnect. Resolves when the server has said
   * what it agrees to. Rejects with `UNSUPPORTED` in revisions before 2026-07-28, which have no topics.
   */
  subscribe(topic: string, wanted: JsonValue, listener: TopicListener): Promise<ExtensionSubscription>;
  /** Tells the operator something. */
  diagnose(event: ClientDiagnostic): void;
}

/** The agreement between client and server, as an extension sees it. */
export interface ExtensionAgreement {
  readonly revision: Revision;
  readonly era: Era;
  /** The name and version of the server. Self-reported: show it, log it, but do not base decisions on it. */
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** The settings with which the server declares the extension. `undefined`: it does not. */
  readonly settings: JsonObject | undefined;
}

/** The circumstances of a question: why the server asks, and until when. */
export type QuestionContext = Pick<InputContext, "request" | "signal">;

/** Gets what comes with a subscription. If it fails, that is reported, and the subscription goes on. */
export interface TopicListener {
  /** Gets each notification on the stream. */
  notification(message: NotificationMessage): void;
  /** Called when notifications may have been missed: look again. */
  resumed?(): void;
}

/** A subscription to a topic of an extension. */
export interface ExtensionSubscription {
  /** The last acknowledgement of the server, unchecked. `undefined`: the server announces nothing. */
  readonly accepted: unknown;
  /** Resolves when the subscription has ended: with the reason, if something failed. */
  readonly closed: Promise<Error | undefined>;
  /** Ends the subscription. Closing twice is safe. */
  close(): void;
}
