/**
 * A Model Context Protocol client: calls any server, of any revision, over any transport.
 *
 * @packageDocumentation
 */
export { createResultCache, type ResultCache, type ResultCacheOptions } from "./cache/result-cache.ts";
export type { CacheOptions } from "./cache/server-cache.ts";
export type { FetchOptions, NotifyOptions, RequestOptions, ToolCallOptions } from "./call-options.ts";
export type { Client, CompleteOptions } from "./client.ts";
export { connect } from "./connect.ts";
export type { ReconnectOptions } from "./connection/backoff.ts";
export type { ListOptions } from "./declared-features.ts";
export type { ClientDiagnostic, DiagnosticListener } from "./diagnostics.ts";
export type {
  ClientExtension,
  ExtendedCall,
  ExtendedNext,
  ExtensionAgreement,
  ExtensionClient,
  ExtensionSubscription,
  InterimResult,
  QuestionContext,
  SentMethod,
  SettledCall,
  TopicListener,
} from "./extensions/extension.ts";
export * from "./extensions/members.ts";
export { formDefaults, type FormContent } from "@toolwire/json-schema";
export type {
  FormAnswer,
  FormHandler,
  InputContext,
  InputHandlers,
  RootsHandler,
  SamplingHandler,
  UrlAnswer,
  UrlHandler,
  UrlInputContext,
} from "./input/handlers.ts";
export { approval, DeniedError, type ApprovalDecision, type ApprovalRequest } from "./middleware/approval.ts";
export { auditCalls, type ClientAuditEntry, type AuditCallsOptions } from "./middleware/audit-calls.ts";
export type {
  CalledServer,
  ClientMiddleware,
  MiddlewareResult,
  ClientNext,
  OutgoingCall,
} from "./middleware/middleware.ts";
export { retry, type RetryOptions } from "./middleware/retry.ts";
export { limitCallTime, type CallTimeLimitOptions } from "./middleware/limit-call-time.ts";
export { pin, type PinOptions } from "./middleware/pin.ts";
export { fingerprintTool, fingerprintTools, type Fingerprints } from "./pins/fingerprint.ts";
export type { DecidePin, PinChange, PinStore } from "./pins/pinned-tools.ts";
export { createServerMemory, type RememberedEra, type ServerMemory } from "./eras/server-memory.ts";
export type {
  AnswerObservation,
  ClientObserver,
  ConnectedSession,
  ConnectionObservation,
  ObservedServer,
  ReceivedRequest,
  SentObservation,
  SentRequest,
} from "./observer.ts";
export type { ClientOptions, ConnectOptions } from "./options.ts";
export type { AcceptedFilter, Change, ChangeFilter } from "./messages/changes.ts";
export type { ChangeListener, Subscription } from "./subscriptions/subscription.ts";
export type {
  CommandTarget,
  ConnectTarget,
  NoTransportOptions,
  Transport,
  TransportOptions,
} from "./target/endpoint.ts";
export type { Advice, MistakenTarget } from "./target/explain-target.ts";
export { textOf, type TextSource } from "./text-of.ts";
export type { AuthFields, AuthRefusal, AuthRequest, AuthServer, ClientAuth } from "./transports/client-auth.ts";
export { HttpStatusError } from "./transports/http/errors.ts";
export type { ConnectionTarget, HttpConnector, HttpTransportOptions } from "./transports/http/options.ts";
export type { WebSocketOptions } from "./transports/websocket/create-channel.ts";
export type { AnyMethod, RequestArguments, RequestResult } from "./types.ts";
export type { MethodsOf, PromptCallArguments, PromptsOf } from "./types.ts";
export type { AskedValue, GivenCallOptions, ToolCallOutcome } from "./types.ts";
export type { ToolCallArguments, ToolCallResult, ToolName, ToolsOf } from "./types.ts";

// Parts of the protocol that applications use, so that most need to import one package only.
export {
  AuthError,
  createMemoryChannels,
  ErrorCode,
  ProtocolViolation,
  RpcError,
  ToolwireError,
  TransportError,
  UsageError,
} from "@toolwire/protocol";
export type {
  Annotations,
  AudioContent,
  AuthErrorCode,
  BlobResourceContents,
  BooleanField,
  CacheScope,
  CallToolParams,
  CallToolResult,
  Channel,
  ChannelReceiver,
  ClientCapabilities,
  CompleteParams,
  CompleteResult,
  ContentBlock,
  CreateMessageParams,
  CreateMessageResult,
  DiscoverResult,
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
  EmbeddedResource,
  EmptyResult,
  EnumField,
  Era,
  Exchange,
  ExchangeHints,
  Exchanger,
  ExchangeSink,
  ExchangeTransport,
  Extensions,
  FormField,
  FormSchema,
  FormValue,
  GetPromptParams,
  GetPromptResult,
  Icon,
  ImageContent,
  Implementation,
  InitializeParams,
  InitializeResult,
  JsonObject,
  JsonSchema,
  JsonSchemaObject,
  JsonValue,
  ListenParams,
  ListenResult,
  ListParams,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListRootsResult,
  ListToolsResult,
  LoggingLevel,
  LogMessageParams,
  Message,
  Meta,
  MethodTypes,
  ModelHint,
  ModelPreferences,
  MultiSelectField,
  NotificationMessage,
  NumberField,
  Outgoing,
  ParamsOf,
  PeerHandlers,
  PeerRules,
  Progress,
  Prompt,
  PromptArgument,
  PromptMessage,
  PromptReference,
  PromptTypes,
  ProtocolViolationCode,
  ReadResourceParams,
  ReadResourceResult,
  Refusal,
  Reply,
  RequestId,
  RequestMessage,
  RequestMeta,
  RequestMethod,
  Resource,
  ResourceContents,
  ResourceLink,
  ResourceTemplate,
  ResourceTemplateReference,
  ResponseMessage,
  ResultMeta,
  ResultOf,
  Revision,
  Role,
  Root,
  SamplingContentBlock,
  SamplingMessage,
  SchemaIssue,
  SchemaValidator,
  ServerCapabilities,
  SessionHandlers,
  SetLevelParams,
  StopReason,
  StringField,
  SubscribeParams,
  TextContent,
  TextResourceContents,
  TitledEnumField,
  Tool,
  ToolAnnotations,
  ToolChoice,
  ToolInputSchema,
  ToolOutputSchema,
  ToolResultContent,
  ToolTypes,
  ToolUseContent,
  TransportErrorCode,
  TypedServer,
  UsageErrorCode,
  Validate,
  Validation,
} from "@toolwire/protocol";
