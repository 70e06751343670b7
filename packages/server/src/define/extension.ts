import type {
  AnySchema,
  InferInput,
  InferOutput,
  JsonObject,
  JsonValue,
  MethodTypes,
  Prompt,
  Resource,
  ResourceTemplate,
  Revision,
  ServerCapabilities,
  Tool,
} from "@toolwire/protocol";
import type { Principal } from "../origin.ts";
import type { Context } from "./context.ts";
import type { ExtensionHost } from "./extension-host.ts";
import type { PromptDefinition } from "./prompt.ts";
import type { ResourceDefinition } from "./resource.ts";
import type { Awaitable, ToolDefinition } from "./tool.ts";
import type { NamedTool, ToolHooks } from "./tool-hooks.ts";

/**
 * An extension of the protocol, as a server supports it: a plain object that lists what it adds. It never gets the server itself, and
 * cannot replace what the protocol defines. Give it to `createServer({ extensions: [ … ] })`.
 *
 * @example
 * ```ts
 * const flags = {
 *   id: "com.example/flags",
 *   methods: {
 *     "com.example/flags/get": method({
 *       params: z.object({ name: z.string() }),
 *       result: z.object({ isOn: z.boolean() }),
 *       handle: ({ name }) => ({ isOn: enabled.has(name) }),
 *     }),
 *   },
 * } satisfies ServerExtension;
 * ```
 */
export interface ServerExtension<Methods extends ExtensionMethods = ExtensionMethods> {
  /** The name under which it is declared: `com.example/flags`. */
  readonly id: string;
  /**
   * The settings that the server declares for it, for all revisions or for each. Default: `{}`. `undefined` for a revision: it is not
   * declared there, and none of its methods exist there unless they name the revision.
   */
  readonly settings?: JsonObject | ((revision: Revision) => JsonObject | undefined) | undefined;
  /** Capabilities that the server declares beside it. */
  readonly capabilities?: ((revision: Revision) => ServerCapabilities | undefined) | undefined;

  /** Requests that clients may send, by method. */
  readonly methods?: Methods | undefined;
  /** Notifications that clients may send, by method. */
  readonly notifications?: { readonly [method: string]: HearNotification } | undefined;
  /** What clients may subscribe to, by the member of the filter of `subscriptions/listen` (2026-07-28). */
  readonly topics?: { readonly [member: string]: ListenTopic } | undefined;
  /** Values of `resultType` that {@link ExtendedCall.answerEarly} may send. */
  readonly resultTypes?: readonly string[] | undefined;

  /** Tools that it brings along, by name. */
  readonly tools?: { readonly [name: string]: ToolDefinition } | undefined;
  /** Resources that it brings along, by name. */
  readonly resources?: { readonly [name: string]: ResourceDefinition } | undefined;
  /** Prompts that it brings along, by name. */
  readonly prompts?: { readonly [name: string]: PromptDefinition } | undefined;

  /** The names of the options of `tool()` that it adds by {@link ToolMembers}. */
  readonly toolMembers?: readonly string[] | undefined;
  /** Looks at each tool of the server once, when it is defined, and says what to do with it. */
  readonly tool?: ((tool: NamedTool) => ToolHooks | undefined) | undefined;
  /** Changes how things are listed in a revision. Gets a copy, and returns it or another. `undefined` leaves it out of the list. */
  readonly list?:
    | (<Kind extends keyof ListedItems>(
        kind: Kind,
        item: ListedItems[Kind],
        revision: Revision,
      ) => ListedItems[Kind] | undefined)
    | undefined;
  /**
   * Whether something is left out of the lists of a client that declares the extension. What is left out can still be called, read and
   * got: lists are for finding things, not for access. Lists of such a server are private, so that no cache gives the list of one client
   * to another.
   */
  readonly hides?:
    | (<Kind extends keyof ListedItems>(kind: Kind, item: ListedItems[Kind], context: Context) => Awaitable<boolean>)
    | undefined;
  /** Makes the members of the context that it adds by {@link ContextMembers}, each when it is asked for. */
  readonly context?: { readonly [member: string]: (context: Context) => unknown } | undefined;
  /**
   * Begins what it does on its own. Called when the server begins to be served, and again if that begins anew after its end. Returns
   * what ends it.
   */
  readonly start?: ((host: ExtensionHost) => void | (() => Awaitable<void>)) | undefined;
}

/** Things that are listed, by the member of the result that lists them. */
export interface ListedItems {
  readonly tools: Tool;
  readonly resources: Resource;
  readonly resourceTemplates: ResourceTemplate;
  readonly prompts: Prompt;
}

/** The methods of an extension by name: one for all revisions, or one for each group of revisions. */
export interface ExtensionMethods {
  readonly [method: string]: ExtensionMethod | readonly ExtensionMethod[];
}

/** The options of {@link method}. */
export interface MethodOptions<P extends AnySchema | undefined, R extends AnySchema | undefined> {
  /** The schema of the parameters, an object, without `_meta`. Absent: anything is passed on as it came. */
  readonly params?: P;
  /** The schema of the result, an object. Absent: the handler is trusted. */
  readonly result?: R;
  /** The revisions in which the method exists. Default: those in which the extension is declared. */
  readonly revisions?: readonly Revision[] | undefined;
  /**
   * Whether only clients may call it that declare the extension. Others get -32021, which says what to declare. Default: true where the
   * extension is declared.
   */
  readonly isGated?: boolean | undefined;
  /** The parameter that the header `Mcp-Name` repeats over HTTP, so that proxies can route by it (2026-07-28). */
  readonly nameParam?: string | undefined;
  /** Whether results say how long they stay fresh, by `ttlMs` and `cacheScope` (2026-07-28). */
  readonly isCacheable?: boolean | undefined;
  /** Answers a request. Throw an `RpcError` to refuse it; its code is sent as it is. */
  handle(params: MethodParams<P>, ctx: Context, offers: Offers): Awaitable<MethodReturn<R>>;
}

/** What a server offers to the caller of a method. */
export interface Offers {
  /**
   * Everything of a kind that the caller may know of, as it is listed for this caller: after all middleware, and with what extensions
   * leave out by {@link ServerExtension.hides}.
   */
  list<Kind extends keyof ListedItems>(kind: Kind): Promise<readonly ListedItems[Kind][]>;
}

/** The parameters that a handler gets: after defaults and transforms. */
export type MethodParams<P> = P extends AnySchema ? InferOutput<P> : { readonly [param: string]: unknown };

/** The result that a handler returns: before defaults and transforms. */
export type MethodReturn<R> = R extends AnySchema ? InferInput<R> : object;

/** A method of an extension, made by {@link method}. */
export interface ExtensionMethod<Params = unknown, Result extends object = object> {
  readonly params?: AnySchema | undefined;
  readonly result?: AnySchema | undefined;
  readonly revisions?: readonly Revision[] | undefined;
  readonly isGated?: boolean | undefined;
  readonly nameParam?: string | undefined;
  readonly isCacheable?: boolean | undefined;
  readonly handle: (params: never, ctx: Context, offers: Offers) => unknown;
  /** Carries the types from {@link method} to `connect<typeof server>()`. Does not exist at run time. */
  readonly "made by method()": { readonly params: Params; readonly result: Result };
}

/** Defines a method of an extension. */
export function method<
  const P extends AnySchema | undefined = undefined,
  const R extends AnySchema | undefined = undefined,
>(options: MethodOptions<P, R>): ExtensionMethod<SentParams<P>, SentResult<R>> {
  return options as object as ExtensionMethod<SentParams<P>, SentResult<R>>;
}

/** The parameters that a client may pass: before defaults and transforms. */
export type SentParams<P> = P extends AnySchema ? InferInput<P> : { readonly [param: string]: unknown };

/** The result that a client gets: after defaults and transforms. */
export type SentResult<R> = R extends AnySchema ? Extract<InferOutput<R>, object> : object;

/** Gets a notification of a client. */
export type HearNotification = (params: JsonObject, sender: NotificationSender) => void;

/** The client that has sent a notification. */
export interface NotificationSender {
  readonly principal: Principal | undefined;
}

/** Something that clients may subscribe to. Clients that do not declare the extension are refused by -32021. */
export interface ListenTopic {
  /**
   * Reads what a client asks for. Throws an `RpcError` if it is malformed. Returns the subscription, or `undefined` if the client gets
   * nothing of it, which is then left out of the acknowledgement.
   */
  accept(wanted: unknown, ctx: Context): Awaitable<TopicSubscription | undefined>;
}

/** What a client has subscribed to in a topic. */
export interface TopicSubscription {
  /** What was agreed to, for the acknowledgement. */
  readonly accepted: JsonValue;
  /**
   * Makes the notification for an event that was published; `undefined` if this client does not get it. Called with `undefined` if
   * events may have been missed: then each notification that may be due is returned.
   */
  notify(event: JsonValue | undefined): Awaitable<TopicNotification | readonly TopicNotification[] | undefined>;
}

/** A notification on the stream of a subscription. The stream adds its id. */
export interface TopicNotification {
  readonly method: string;
  readonly params: object;
}

/** The types of the methods that extensions add, for `connect<typeof server>()`. */
export type MethodTypesOf<Extensions extends readonly ServerExtension[]> = Extensions extends readonly []
  ? {}
  : UnionToIntersection<Extensions[number] extends infer E ? (E extends ServerExtension ? TypesOf<E> : never) : never>;

type TypesOf<E extends ServerExtension> = E["methods"] extends infer M extends ExtensionMethods
  ? { readonly [K in keyof M]: TypeOf<M[K] extends readonly (infer Each)[] ? Each : M[K]> }
  : {};

type TypeOf<M> = M extends { readonly "made by method()": infer T extends MethodTypes[string] } ? T : never;

type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never;
