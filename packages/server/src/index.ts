/**
 * Define tools, resources and prompts once, and serve them to any client of any revision, over any binding.
 *
 * @packageDocumentation
 */
export { createServer } from "./server.ts";
export type { DefinitionSet, PromptTypesOf, ResourceSet, Server, ToolTypesOf, UpdateOptions } from "./define/server.ts";
export type {
  CacheHint,
  CacheHints,
  PromptDefinitions,
  Secret,
  ServerOptions,
  ToolDefinitions,
} from "./define/options.ts";

// Definitions.
export {
  tool,
  type Awaitable,
  type Listed,
  type ToolArguments,
  type ToolData,
  type ToolDefinition,
  type ToolInput,
  type ToolOptions,
  type ToolOutput,
  type ToolReturn,
} from "./define/tool.ts";
export {
  resource,
  type Complete,
  type FixedResourceDefinition,
  type FixedResourceOptions,
  type ListedResource,
  type ReadAnswer,
  type ReadContents,
  type ReadReturn,
  type ResourceDefinition,
  type ResourceInfo,
  type ResourceTemplateDefinition,
  type ResourceTemplateOptions,
  type Suggestions,
} from "./define/resource.ts";
export type { TemplateValues } from "./define/resource.ts";
export type { Scoped } from "./define/scopes.ts";
export {
  prompt,
  type PromptArgumentOptions,
  type PromptDefinition,
  type PromptInfo,
  type PromptInput,
  type PromptOptions,
  type PromptReturn,
  type PromptValues,
  type SchemaPromptOptions,
} from "./define/prompt.ts";

// Extensions.
export * from "./define/members.ts";
export {
  method,
  type ExtensionMethod,
  type ExtensionMethods,
  type HearNotification,
  type ListedItems,
  type ListenTopic,
  type MethodOptions,
  type MethodParams,
  type MethodReturn,
  type MethodTypesOf,
  type NotificationSender,
  type SentParams,
  type SentResult,
  type ServerExtension,
  type TopicNotification,
  type TopicSubscription,
} from "./define/extension.ts";
export type { ExtensionHost, StoredCall } from "./define/extension-host.ts";
export type {
  CallJournal,
  CallOutcome,
  DetachedCall,
  DetachedRun,
  ExtendedCall,
  NamedTool,
  RunQuestions,
  ToolHooks,
} from "./define/tool-hooks.ts";

// For handlers.
export type { Context, Elicit, Elicited, FormQuestion, PageQuestion, TryElicit } from "./define/context.ts";
export { audio, embeddedResource, image, resourceLink, text, type EmbeddedContents } from "./content/blocks.ts";
export { passOn, reply, ToolReply, type ReplyParts, type ToolContent } from "./define/reply.ts";
export { InputDeclined, InputRequired, InsufficientScope, ToolError } from "./errors.ts";

// Middleware.
export type {
  AbortListener,
  Cancellation,
  ServerMiddleware,
  MiddlewareReturn,
  NamedResource,
  ServerNext,
  RequestCall,
} from "./define/middleware.ts";
export {
  accessControl,
  type AccessRule,
  type AccessSubject,
  type ResourceSubject,
} from "./middleware/access-control.ts";
export { auditLog, type ServerAuditEntry } from "./middleware/audit-log.ts";
export { rateLimit, type RateLimitOptions } from "./middleware/rate-limit.ts";
export { cleanText } from "@toolwire/protocol/internal";
export { sanitizeOutput, type SanitizeOptions } from "./middleware/sanitize-output.ts";
export { timeLimit, type ServerTimeLimitOptions } from "./middleware/time-limit.ts";

// Observers, for telemetry.
export type {
  ObservedNotification,
  ObservedQuestion,
  ObservedRefusal,
  ObservedRequest,
  ObservedSession,
  QuestionObservation,
  RequestObservation,
  RequestOutcome,
  ServerObserver,
  SessionObservation,
  TracePlace,
} from "./define/observer.ts";

// Linters of definitions.
export type { DefinitionLinter, LintDiagnostic, OfferedDefinitions } from "./define/lint.ts";

// Origins of requests, and diagnostics.
export type { ServerDiagnostic } from "./diagnostics.ts";
export type { Origin, Principal, ServerConnection } from "./origin.ts";

// Re-exported from the protocol, so that most applications install and import one package only.
export {
  AuthError,
  ErrorCode,
  RpcError,
  ToolwireError,
  TransportError,
  UsageError,
  type Annotations,
  type AnySchema,
  type AudioContent,
  type AuthErrorCode,
  type BlobResourceContents,
  type CacheScope,
  type CallToolResult,
  type ClientCapabilities,
  type ContentBlock,
  type CreateMessageParams,
  type CreateMessageResult,
  type EmbeddedResource,
  type Era,
  type Exchange,
  type ExchangeSink,
  type Extensions,
  type GetPromptResult,
  type Icon,
  type ImageContent,
  type Implementation,
  type InferInput,
  type InferOutput,
  type JsonObject,
  type JsonSchema,
  type JsonSchemaObject,
  type JsonSchemaOf,
  type JsonValue,
  type LoggingLevel,
  type Meta,
  type MethodTypes,
  type ModelHint,
  type ModelPreferences,
  type NotificationMessage,
  type PromptMessage,
  type PromptTypes,
  type Reply,
  type RequestId,
  type RequestMessage,
  type RequestMeta,
  type Resource,
  type ResourceContents,
  type ResourceLink,
  type ResponseMessage,
  type ResultMeta,
  type Revision,
  type Role,
  type Root,
  type SamplingContentBlock,
  type SamplingMessage,
  type SchemaIssue,
  type SchemaValidator,
  type StandardSchema,
  type StopReason,
  type TextContent,
  type TextResourceContents,
  type Tool,
  type ToolAnnotations,
  type ToolChoice,
  type ToolInputSchema,
  type ToolOutputSchema,
  type ToolResultContent,
  type ToolTypes,
  type ToolUseContent,
  type TransportErrorCode,
  type TypedServer,
  type UsageErrorCode,
  type Validate,
  type Validation,
} from "@toolwire/protocol";
export { jsonSchema } from "@toolwire/json-schema";
