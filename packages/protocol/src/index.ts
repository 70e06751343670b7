/**
 * Everything about the wire that server, client and contributed transports share: messages, content types, error codes,
 * revisions, framing, the transport contracts and the engine that matches responses to requests by id.
 *
 * @packageDocumentation
 */
export * from "./errors.ts";
export * from "./model/index.ts";
export { isObject } from "./model/json.ts";
export type { ToolTypes, TypedServer } from "./model/typed-server.ts";

// Bytes to messages and back.
export {
  encodeMessage,
  encodeParts,
  PreparedJson,
  SelfEncoding,
  toErrorResponse,
  unwrapMessage,
  type EncodedParts,
} from "./messages/encode.ts";
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
export { isId, parseMessage, parseMessages, readMessage, type Parsed } from "./messages/parse.ts";

// What differs between revisions, and the checks on what a peer sends.
export * from "./revisions/index.ts";
export * from "./params/index.ts";
// What a client says in answer; apart from the translator, so that a bundle for browsers can do without the rest of it.
export { elicitResultRewrite } from "./revisions/elicitation.ts";
export { initializeParamsRewrite } from "./revisions/handshake.ts";
export { createMessageResultRewrite } from "./revisions/sampling.ts";

// Schemas.
export * from "./schema/index.ts";

// The contracts a transport meets, and the engine that works over any of them.
export type { Channel, ChannelReceiver, Outgoing } from "./transport/channel.ts";
export type {
  Exchange,
  ExchangeHints,
  ExchangeSink,
  ExchangeTransport,
  Exchanger,
  PeerHandlers,
  Reply,
} from "./transport/exchange.ts";
export { createMemoryChannels } from "./transport/memory.ts";
export { Caller, type CallerOptions, type CallOptions, type CallSink, type Progress } from "./engine/caller.ts";
export { Deadlines, type Deadlined } from "./engine/deadlines.ts";
export { Multiplexer, type MultiplexerOptions } from "./engine/multiplexer.ts";
export { PendingExchanges } from "./engine/pending.ts";
