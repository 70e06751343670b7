import type { MalformedMessage } from "../messages/errors.ts";
import type { Message, ResponseMessage } from "../messages/message.ts";

/** A unit that leaves through a channel: a message, or the responses to a batch (revision 2025-03-26). */
export type Outgoing = Message | readonly ResponseMessage[];

/**
 * A duplex pipe of whole messages, such as stdio, a WebSocket, a socket or memory. This is the smaller of the two
 * transport contracts; the {@link Multiplexer} turns it into exchanges. Framing, size limits and parsing happen inside
 * the channel. Matching by id does not.
 */
export interface Channel {
  /** Starts delivery. Called once, before anything is sent; resolves when messages can be sent. */
  open(receiver: ChannelReceiver): void | Promise<void>;

  /**
   * Queues one message and returns at once. It returns a promise only if the peer reads more slowly than this side
   * writes; wait for it before you send more, if you can. Sending on a channel that is closed, or is about to be, throws
   * `TransportError` CLOSED or CONNECTION_LOST: then the message was not sent, and a client sends it again over the next
   * connection. Values that JSON cannot hold make it throw before anything is queued.
   *
   * Write messages with `encodeMessage`, or with `JSON.stringify`, which is slower for long lists. To pass the object itself
   * on, as `postMessage` does, use `unwrapMessage` first: results may be {@link PreparedJson}.
   */
  send(message: Outgoing): void | Promise<void>;

  /**
   * Sends all queued messages, then ends the connection. Closing twice is safe. A `reason` says what is wrong with the peer, such as
   * an `AuthError` if its credentials have expired. A channel that can tell the peer does so; others ignore it.
   */
  close(reason?: Error): Promise<void>;
}

/** Receives everything that a channel reads. None of these throws. */
export interface ChannelReceiver {
  /** One message arrived. */
  message(message: Message): void;
  /** Several messages arrived as one JSON array, which revision 2025-03-26 alone allows. */
  batch(items: readonly (Message | MalformedMessage)[]): void;
  /** Something arrived that is not a message. The connection continues. */
  malformed(error: MalformedMessage): void;
  /**
   * The peer has sent its last message and still reads, as after the end of a server's stdin or a half-closed socket.
   * Sending goes on until `close`. A channel calls `close` itself if the receiver has no `inputEnded`. Channels whose peer
   * cannot end one direction alone never call it.
   */
  inputEnded?(): void;
  /**
   * Nothing can be sent any more, though messages of the peer are still delivered; `closed` follows soon. Channels that
   * end at once need not call it.
   */
  outputEnded?(): void;
  /** The connection has ended, without a reason if either side ended it on purpose. Called exactly once. */
  closed(reason?: Error): void;
}
