/**
 * Parts that `@toolwire/server` and `@toolwire/client` share and applications do not need. Not covered by semantic
 * versioning: any release may change them.
 *
 * @packageDocumentation
 */

// Everything that is public, so that our packages load a single file of this one.
export * from "./channels/index.ts";
export * from "./framing/index.ts";
export * from "./index.ts";
export * from "./uri-template/index.ts";

// Errors that `instanceof` recognises across copies of the packages.
export { brandError } from "@toolwire/json-schema/internal";

// Messages and their texts.
export { encodeParts, PreparedJson, SelfEncoding, unwrapMessage, type EncodedParts } from "./messages/encode.ts";
export { closedError, explainUnsent, isShuttingDown, shuttingDownError, UnsentError } from "./messages/errors.ts";
export { isId, MAX_BATCH } from "./messages/parse.ts";
export { escapeUnprintable, quoteWords } from "./messages/quote.ts";
export { GROUPS_ID, isGroupName } from "./model/groups.ts";
export { canonicalJson, isObject } from "./model/json.ts";
export { cleanText } from "./text/clean-text.ts";
export { Turns } from "./turns.ts";
export { encodeUnreserved } from "./uri-template/syntax.ts";

// Secrets, taken out of what others have written.
export {
  clearingOf,
  createClearing,
  LEFT_OUT,
  SECRET_MARK,
  SecretSet,
  SHORTEST_SECRET,
  type Clearing,
} from "./secrets/index.ts";

// Checks of options.
export {
  describeKind,
  describeValue,
  expectBoolean,
  expectBytes,
  expectChoice,
  expectCount,
  expectDuration,
  expectFunction,
  expectFunctions,
  expectKnownNames,
  expectLimit,
  expectMilliseconds,
  expectOption,
  expectOptions,
  expectPath,
  expectTexts,
  invalidDuration,
  invalidOption,
  isDuration,
  LONGEST_TIMER,
  type NameHints,
  type OptionNames,
} from "./options.ts";

// Checks of messages from a peer.
export { findConversationProblem, type ConversationProblem } from "./params/conversation.ts";
export { claimsModernEra, readProtocolVersion, readRequestMeta, type PerRequestMeta } from "./params/meta.ts";
export {
  readCallToolParams,
  readCompleteParams,
  readGetPromptParams,
  readListenParams,
  readListParams,
  readReadResourceParams,
} from "./params/requests.ts";
export { servesMethod, type Direction } from "./revisions/methods.ts";
export { CORE_RESULT_TYPES, CORE_TOPICS, isCoreMethod, isExtensionId } from "./revisions/extensions.ts";

// Header fields that repeat parts of a request (2026-07-28, Streamable HTTP).
export { readParamHeaders, type ParamHeader } from "./param-headers/annotations.ts";
export {
  findParamHeaderProblem,
  decodeHeaderValue,
  encodeHeaderValue,
  writeParamHeaders,
  NAME_HEADER_MEMBERS,
} from "./param-headers/headers.ts";

// Server cards and AI catalogs.
export { checkServerCard, isCardName, isCardNamespace, type CheckedCard } from "./server-card/check-card.ts";
export { checkCatalog, type CheckedCatalog } from "./server-card/check-catalog.ts";
export {
  AI_CATALOG_PATH,
  AI_CATALOG_TYPE,
  AI_CATALOG_VERSION,
  cardUrlOf,
  catalogIdOf,
  SERVER_CARD_SCHEMA,
  SERVER_CARD_SUFFIX,
  SERVER_CARD_TYPE,
} from "./server-card/server-card.ts";

// The engine: responses matched to requests by id, deadlines, progress, cancellation.
export { Caller, type CallerOptions, type CallOptions, type CallSink, type PendingCall } from "./engine/caller.ts";
export { Deadlines, type Deadlined } from "./engine/deadlines.ts";
export { CountedRequests, IdTable, PooledSet, type RequestLimit, type Pooled } from "./engine/in-flight.ts";
export { callListener, whenAborted } from "./engine/listeners.ts";
export { Multiplexer, type MultiplexerOptions } from "./engine/multiplexer.ts";
export { PendingExchanges } from "./engine/outgoing.ts";

// Parts of channels.
export {
  attachWsSocket,
  Heartbeat,
  EventLoopTurns,
  type PingedConnection,
  type NetworkSocket,
  type WsConnection,
  type WsSocket,
} from "./channels/ws-socket.ts";
export { TurnLimit, type TurnFlow } from "./channels/turn-limit.ts";
export { JunkLimit } from "./framing/junk-limit.ts";
export { explainListenFailure } from "./transport/listen-failure.ts";

// The legacy era.
export * from "./legacy/index.ts";
