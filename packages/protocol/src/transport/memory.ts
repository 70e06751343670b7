import { unwrapMessage } from "../messages/encode.ts";
import { closedError } from "../messages/errors.ts";
import type { ResponseMessage } from "../messages/message.ts";
import type { Channel, ChannelReceiver, Outgoing } from "./channel.ts";

/**
 * Makes two linked channels in one process: what one sends, the other receives. For tests, and for applications that
 * embed a server. Works in both eras.
 *
 * Objects are passed by reference, not copied: do not change what you have sent or received.
 */
export function createMemoryChannels(): [Channel, Channel] {
  const left = new MemoryChannel();
  const right = new MemoryChannel();
  left.link(right);
  right.link(left);
  return [left, right];
}

/** The number of undelivered messages from which on a sender is told to wait. */
const HIGH_WATER = 1024;

class MemoryChannel implements Channel {
  #peer!: MemoryChannel;
  #receiver: ChannelReceiver | undefined;
  #inbox: Outgoing[] = [];
  #delivering = false;
  #closed = false;
  #ended = false;
  readonly #waiting: (() => void)[] = [];

  link(peer: MemoryChannel): void {
    this.#peer = peer;
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
    this.#schedule();
  }

  send(message: Outgoing): void | Promise<void> {
    if (this.#closed) throw closedError();
    return this.#peer.#accept(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#peer.#end();
    this.#end();
  }

  #accept(message: Outgoing): void | Promise<void> {
    this.#inbox.push(message);
    this.#schedule();
    if (this.#inbox.length < HIGH_WATER) return;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Delivery is never synchronous, so that a handler cannot run inside the `send` that caused it. */
  #schedule(): void {
    if (this.#delivering || this.#receiver === undefined) return;
    this.#delivering = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    const receiver = this.#receiver!;
    const batch = this.#inbox;
    this.#inbox = [];
    this.#delivering = false;
    for (const item of batch) {
      if (isBatch(item)) receiver.batch(item.map(unwrapMessage));
      else receiver.message(unwrapMessage(item));
    }
    this.#resume();
    if (this.#inbox.length > 0) this.#schedule();
    else if (this.#closed) this.#finish();
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    // If this end is opened later, it still gets the messages that were sent, and then the end.
    if (this.#receiver === undefined) this.#resume();
    else this.#schedule();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#resume();
    this.#receiver!.closed();
  }

  #resume(): void {
    if (this.#waiting.length === 0) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

function isBatch(item: Outgoing): item is readonly ResponseMessage[] {
  return Array.isArray(item);
}
