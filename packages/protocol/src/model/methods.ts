import type {
  DiscoverResult,
  EmptyResult,
  InitializeParams,
  InitializeResult,
  ListParams,
  NotificationParams,
  RequestParams,
} from "./basic.ts";
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitationCompleteParams,
  ElicitParams,
  ElicitResult,
  ListRootsResult,
} from "./input.ts";
import type { GetPromptParams, GetPromptResult, ListPromptsResult } from "./prompts.ts";
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  ResourceUpdatedParams,
  SubscribeParams,
} from "./resources.ts";
import type { CallToolParams, CallToolResult, ListToolsResult } from "./tools.ts";
import type {
  CancelledParams,
  CompleteParams,
  CompleteResult,
  ListenParams,
  ListenResult,
  LogMessageParams,
  ProgressParams,
  SetLevelParams,
  SubscriptionsAcknowledgedParams,
} from "./utilities.ts";

/** Every request of every revision, with its parameters and its result. */
export interface Requests {
  // Requests to servers.
  "server/discover": { params: RequestParams | undefined; result: DiscoverResult };
  "tools/list": { params: ListParams | undefined; result: ListToolsResult };
  "tools/call": { params: CallToolParams; result: CallToolResult };
  "resources/list": { params: ListParams | undefined; result: ListResourcesResult };
  "resources/templates/list": { params: ListParams | undefined; result: ListResourceTemplatesResult };
  "resources/read": { params: ReadResourceParams; result: ReadResourceResult };
  "prompts/list": { params: ListParams | undefined; result: ListPromptsResult };
  "prompts/get": { params: GetPromptParams; result: GetPromptResult };
  "completion/complete": { params: CompleteParams; result: CompleteResult };
  "subscriptions/listen": { params: ListenParams; result: ListenResult };
  // Requests to servers, in the legacy era only.
  initialize: { params: InitializeParams; result: InitializeResult };
  "logging/setLevel": { params: SetLevelParams; result: EmptyResult };
  "resources/subscribe": { params: SubscribeParams; result: EmptyResult };
  "resources/unsubscribe": { params: SubscribeParams; result: EmptyResult };
  // Requests to both sides, in the legacy era only.
  ping: { params: RequestParams | undefined; result: EmptyResult };
  // Requests to clients: messages in the legacy era, parts of an input-required result since.
  "elicitation/create": { params: ElicitParams; result: ElicitResult };
  "sampling/createMessage": { params: CreateMessageParams; result: CreateMessageResult };
  "roots/list": { params: RequestParams | undefined; result: ListRootsResult };
}

/** Every notification of every revision, with its parameters. */
export interface Notifications {
  "notifications/cancelled": CancelledParams;
  "notifications/progress": ProgressParams;
  "notifications/message": LogMessageParams;
  "notifications/tools/list_changed": NotificationParams | undefined;
  "notifications/prompts/list_changed": NotificationParams | undefined;
  "notifications/resources/list_changed": NotificationParams | undefined;
  "notifications/resources/updated": ResourceUpdatedParams;
  "notifications/subscriptions/acknowledged": SubscriptionsAcknowledgedParams;
  // Legacy era only.
  "notifications/initialized": NotificationParams | undefined;
  "notifications/roots/list_changed": NotificationParams | undefined;
  "notifications/elicitation/complete": ElicitationCompleteParams;
}

/** The name of a request. */
export type RequestMethod = keyof Requests;

/** The name of a notification. */
export type NotificationMethod = keyof Notifications;

/** The parameters of a request. */
export type ParamsOf<M extends RequestMethod> = Requests[M]["params"];

/** The result of a request. */
export type ResultOf<M extends RequestMethod> = Requests[M]["result"];

/** The requests that a modern server may answer with an `InputRequiredResult` first. */
export type InputRequiringMethod = "tools/call" | "prompts/get" | "resources/read";

/** The requests that a client answers. */
export type ClientMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/**
 * Carries the types of a server's tools, prompts and added methods to `connect<typeof server>()`, so that neither package imports the
 * other. The properties are phantoms: they do not exist at run time.
 */
export interface TypedServer<
  Tools extends ToolTypes = ToolTypes,
  Prompts extends PromptTypes = PromptTypes,
  Methods extends MethodTypes = MethodTypes,
> {
  readonly "~tools"?: Tools;
  readonly "~prompts"?: Prompts;
  readonly "~methods"?: Methods;
}

/** The argument and result types of each tool by name. */
export interface ToolTypes {
  readonly [name: string]: { readonly input: unknown; readonly output: unknown };
}

/** The argument types of each prompt by name. */
export interface PromptTypes {
  readonly [name: string]: { readonly arguments: unknown };
}

/** The types of the methods that extensions of a server add, by method. */
export interface MethodTypes {
  readonly [method: string]: { readonly params: unknown; readonly result: object };
}
