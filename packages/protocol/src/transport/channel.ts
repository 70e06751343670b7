import type { MalformedMessage } from "../messages/malformed.ts";
import type { Message, ResponseMessage } from "../messages/message.ts";

/** What leaves through a channel: a message, or the answers to a batch (revision 2025-03-26). */
export type Outgoing = Message | readonly ResponseMessage[];

/**
 * A duplex pipe of whole messages: stdio, a WebSocket, a socket, memory. The smaller of the two contracts a
 * contributed transport can meet; the {@link Multiplexer} turns it into exchanges. Framing, size limits and
 * parsing happen inside the channel, matching by id does not.
 */
export interface Channel {
  /** Starts delivery. Called once, before anything is sent; resolves when messages can be sent. */
  open(receiver: ChannelReceiver): void | Promise<void>;

  /**
   * Queues one message and returns at once. A promise comes back only when the peer reads more slowly than this side
   * writes: whoever can, waits for it before sending more. Sending on a closed channel throws `TransportError` CLOSED.
   * Values that JSON cannot hold make it throw before anything was queued.
   *
   * Write messages by `encodeMessage`, or by `JSON.stringify`, which is slower for long lists. To pass on the object itself,
   * as `postMessage` does, take that of `unwrapMessage`: results may be {@link PreparedJson}.
   */
  send(message: Outgoing): void | Promise<void>;

  /** Delivers what is queued, then ends the connection. Closing twice is safe. */
  close(): Promise<void>;
}

/** Where a channel delivers what it reads. None of these throws. */
export interface ChannelReceiver {
  /** One message arrived. */
  message(message: Message): void;
  /** Several messages arrived as one JSON array, which revision 2025-03-26 alone allows. */
  batch(items: readonly (Message | MalformedMessage)[]): void;
  /** Something arrived that is no message. The connection goes on. */
  malformed(error: MalformedMessage): void;
  /** The connection has ended: without a reason if either side meant it to. Called exactly once. */
  closed(reason?: Error): void;
}
