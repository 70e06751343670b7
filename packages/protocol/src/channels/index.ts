/**
 * Channels ready to use: lines over any two byte streams, frames over any WebSocket. Bindings open the streams or sockets.
 *
 * @packageDocumentation
 */
export { CloseCode, explainClose } from "./close-codes.ts";
export { deliverText, type Side } from "./deliver-text.ts";
export { createLineChannel, type ByteSource, type LineChannelOptions } from "./line-channel.ts";
export type { TextSink } from "./line-writer.ts";
export {
  createSocketChannel,
  type ConnectSocket,
  type FrameSocket,
  type SocketChannelOptions,
  type SocketEvents,
} from "./socket-channel.ts";
export { SUBPROTOCOL } from "./close-codes.ts";
