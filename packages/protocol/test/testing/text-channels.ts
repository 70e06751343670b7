import {
  encodeMessage,
  ErrorCode,
  MalformedMessage,
  TransportError,
  type Channel,
  type ChannelReceiver,
} from "../../src/index.ts";
import { deliverText, type Side } from "../../src/channels/index.ts";
import type { ChannelContractOptions } from "../../src/testing/index.ts";

/** How many bytes may wait: first until senders are asked to wait, then until the connection ends. */
const HIGH_WATER = 256 * 1024;
const MAX_QUEUED = 4_000_000;

/** The longest text that is accepted. */
const MAX_LENGTH = 2_000_000;

/** One end of a connection whose messages are texts in a queue. It keeps the contract; tests break copies of it. */
export class TextChannel implements Channel {
  peer: TextChannel | undefined;
  receiver: ChannelReceiver | undefined;
  readonly side: Side;
  protected isClosed = false;
  /** Texts that wait until the peer reads them, in the next turn. */
  protected queue: string[] = [];
  protected queued = 0;
  #isReading = false;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(side: Side) {
    this.side = side;
  }

  open(receiver: ChannelReceiver): void {
    this.receiver = receiver;
  }

  send(message: Parameters<Channel["send"]>[0]): void | Promise<void> {
    if (this.isClosed) throw new TransportError("CLOSED", "The connection is closed; nothing more can be sent.");
    return this.write(encodeMessage(message));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.read();
    this.receiver?.closed();
    await this.peer?.close();
  }

  /** Sends a text as one frame. */
  write(text: string): void | Promise<void> {
    this.queue.push(text);
    this.queued += text.length;
    if (!this.#isReading) {
      this.#isReading = true;
      setTimeout(() => void this.read(), 0);
    }
    if (this.queued > MAX_QUEUED) return this.overflow();
    if (this.queued <= HIGH_WATER) return;
    this.#drained ??= defer();
    return this.#drained.promise;
  }

  /** Delivers one text at this end. */
  deliver(text: string): void {
    if (this.isClosed || this.receiver === undefined) return;
    if (text.length > MAX_LENGTH) this.refuse(this.receiver);
    else deliverText(text, this.receiver, this.side);
  }

  /** The peer has sent its last message, and still reads. */
  endInput(): void {
    if (this.receiver?.inputEnded === undefined) void this.close();
    else this.receiver.inputEnded();
  }

  /** The connection breaks. */
  break(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.receiver?.closed(new TransportError("CONNECTION_LOST", "The connection broke."));
  }

  protected refuse(receiver: ChannelReceiver): void {
    receiver.malformed(new MalformedMessage(ErrorCode.InvalidRequest, "A message is too large."));
  }

  protected overflow(): void {
    this.isClosed = true;
    this.queue = [];
    this.receiver?.closed(new TransportError("OVERLOADED", "The peer does not read."));
    void this.peer?.close();
  }

  protected async read(): Promise<void> {
    this.#isReading = false;
    const texts = this.queue;
    this.queue = [];
    this.queued = 0;
    for (const text of texts) this.peer?.deliver(text);
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

function defer(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

interface TextPair {
  readonly client: TextChannel;
  readonly server: TextChannel;
}

/** The options of a contract suite for a class of channels, both ends of which are of this class. */
export function describePair(End: new (side: Side) => TextChannel): ChannelContractOptions<TextPair> {
  return {
    connect() {
      const [client, server] = [new End("client"), new End("server")];
      client.peer = server;
      server.peer = client;
      return { client, server };
    },
    sendText: (pair, from, text) => void pair[from].write(text),
    endOutput: (pair, end) => pair[end].peer?.endInput(),
    breakConnection({ client, server }) {
      client.break();
      server.break();
    },
    maxMessageBytes: MAX_LENGTH,
    maxQueuedBytes: MAX_QUEUED,
  };
}
