/**
 * Bytes to frames and back: newline-delimited JSON and server-sent events.
 *
 * @packageDocumentation
 */
export { createLineDecoder, type LineDecoder, type LineDecoderOptions, type LineSink } from "./lines.ts";
export {
  createEventDecoder,
  type EventDecoder,
  type EventDecoderOptions,
  type EventSink,
  type ServerSentEvent,
} from "./event-decoder.ts";
export { encodeComment, encodeData, encodeEvent, type EventToEncode } from "./event-encoder.ts";
export type { DecodeUtf8 } from "./frame-bytes.ts";
