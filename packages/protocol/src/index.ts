/**
 * Everything about the wire that server, client and contributed transports share: messages, content types, error codes,
 * revisions, framing, the transport contracts and the engine that matches responses to requests by id.
 *
 * @packageDocumentation
 */
export {
  AuthError,
  ErrorCode,
  ProtocolViolation,
  RpcError,
  ToolwireError,
  TransportError,
  UsageError,
  type AuthErrorCode,
  type ProtocolViolationCode,
  type Refusal,
  type TransportErrorCode,
  type UsageErrorCode,
} from "./errors.ts";
export * from "./model/index.ts";

// Bytes to messages and back.
export { encodeMessage, toErrorResponse } from "./messages/encode.ts";
export { MalformedMessage } from "./messages/errors.ts";
export {
  isErrorResponse,
  isNotification,
  isRequest,
  isResponse,
  type ErrorMessage,
  type ErrorObject,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  type ResultMessage,
} from "./messages/message.ts";
export { parseMessage, parseMessages, readMessage, type Parsed } from "./messages/parse.ts";

// The revisions of the protocol, and their features.
export {
  allowsContent,
  errorCodeFor,
  hasFeature,
  type ContentPlace,
  type Feature,
  type RevisedError,
} from "./revisions/features.ts";
export {
  eraOf,
  isRevision,
  LATEST_LEGACY_REVISION,
  LATEST_REVISION,
  REVISIONS,
  type Era,
  type LegacyRevision,
  type Revision,
} from "./revisions/revision.ts";

// Groups of tools, prompts and resources, as a draft has them.
export type { Group, GroupContents, GroupList, GroupResult } from "./model/groups.ts";

// Public documents by which servers are found.
export type {
  AiCatalog,
  CardHeader,
  CardInput,
  CardRemote,
  CardRepository,
  CatalogEntry,
  ServerCard,
} from "./server-card/server-card.ts";

// The types of schemas that public types mention; `@toolwire/json-schema` has the functions.
export type {
  AnySchema,
  InferInput,
  InferOutput,
  IssueKind,
  JsonSchema,
  JsonSchemaObject,
  JsonSchemaOf,
  SchemaDescription,
  SchemaIssue,
  SchemaValidator,
  StandardSchema,
  Validate,
  Validation,
} from "@toolwire/json-schema";

// The contracts a transport meets.
export type { Channel, ChannelReceiver, Outgoing } from "./transport/channel.ts";
export type {
  Exchange,
  ExchangeHints,
  ExchangeSink,
  ExchangeTransport,
  Exchanger,
  PeerHandlers,
  PeerRules,
  Reply,
  SessionHandlers,
} from "./transport/exchange.ts";
export { createMemoryChannels } from "./transport/memory.ts";
export type { Progress } from "./engine/caller.ts";
