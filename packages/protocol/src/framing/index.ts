/**
 * Bytes to frames: newline-delimited JSON, and server-sent events in both directions; and how much of it may be no messages.
 *
 * @packageDocumentation
 */
export { createLineDecoder, type LineDecoder, type LineDecoderOptions, type LineSink } from "./lines.ts";
export {
  createEventDecoder,
  encodeComment,
  encodeData,
  encodeEvent,
  type EventDecoder,
  type EventDecoderOptions,
  type EventSink,
  type EventToEncode,
  type ServerSentEvent,
} from "./sse.ts";
export type { DecodeUtf8 } from "./frame-bytes.ts";
