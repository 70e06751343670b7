/**
 * Everything about the wire that server, client and contributed transports share: messages, content types, error codes,
 * revisions, framing, the transport contracts and the engine that matches responses to requests by id.
 *
 * @packageDocumentation
 */
export * from "./errors.ts";
export * from "./model/index.ts";
export type { PromptTypes, ToolTypes, TypedServer } from "./model/typed-server.ts";

// Bytes to messages and back.
export { encodeMessage, toErrorResponse } from "./messages/encode.ts";
export { MalformedMessage } from "./messages/malformed.ts";
export {
  isErrorResponse,
  isNotification,
  isRequest,
  isResponse,
  type ErrorMessage,
  type ErrorObject,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type ResultMessage,
} from "./messages/message.ts";
export { parseMessage, parseMessages, readMessage, type Parsed } from "./messages/parse.ts";

// What revisions there are, what they can do, and the checks on what a peer sends.
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

// Schemas, as far as types go; what can be done with them is in `@toolwire/protocol/schema`.
export type { AnySchema, InferInput, InferOutput, JsonSchemaOf, StandardSchema } from "./schema/any-schema.ts";
export type { SchemaDescription } from "./schema/describe-schema.ts";
export type { IssueKind, SchemaIssue } from "./schema/issue.ts";
export type { SchemaDirection } from "./schema/library-options.ts";
export type { Subschema } from "./schema/subschemas-of.ts";
export type { JsonSchema, JsonSchemaObject, SchemaValidator, Validate, Validation } from "./schema/validator.ts";

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
