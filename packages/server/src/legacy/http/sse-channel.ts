import {
  encodeMessage,
  MalformedMessage,
  TransportError,
  type Channel,
  type ChannelReceiver,
  type Message,
  type NotificationMessage,
  type Outgoing,
  type RequestId,
  type RequestMessage,
} from "@toolwire/protocol";
import type { RequestLimit } from "@toolwire/protocol/internal";
import type { Origin } from "../../binding.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import { encodeMessageEvent, type EventStream } from "../../bindings/http/events.ts";
import type { InFlightLimits } from "../../bindings/http/limits.ts";

/** What a client of the HTTP+SSE transport posts comes in, what it is sent goes out as events. */
export class SseChannel implements Channel {
  readonly #stream: EventStream;
  #receiver: ChannelReceiver | undefined;
  /** What the client was asked and has not answered. */
  readonly #asked = new Set<unknown>();
  readonly #load: InFlightLimits;
  /** Who posts to the stream, for the load. */
  #client: string | object;
  /** What brings a message, while that is delivered. Not for longer, as its body may be large. */
  #call: HttpRequest | undefined;
  /** Counts requests as the endpoint's: all that is posted to one stream is of one client. */
  readonly limit: RequestLimit = {
    // A request that has no room is refused over HTTP before it gets here.
    reached: undefined,
    add: (change) => this.#load.add(this.#client, change),
  };

  /** `call` is what opened the stream. */
  constructor(stream: EventStream, call: HttpRequest) {
    this.#stream = stream;
    this.#load = call.endpoint.load;
    this.#client = call.client;
  }

  /** Where the message that is delivered came from: its caller with the rights of now, and its own headers. */
  originOf(shared: Origin): Origin {
    const call = this.#call;
    if (call === undefined) return shared;
    return { ...shared, principal: call.principal, header: (name) => call.header(name) };
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
  }

  send(message: Outgoing): void | Promise<void> {
    if (!this.#stream.isOpen) throw new TransportError("CLOSED", "The client has closed the stream of events.");
    const event = encodeMessageEvent(encodeMessage(message));
    for (const each of [message].flat() as Message[]) this.#noteSent(each);
    return this.#stream.write(event);
  }

  async close(): Promise<void> {
    this.#stream.end();
    this.lost();
  }

  /** A message was posted. */
  receive(message: Message, call: HttpRequest): void {
    this.#deliver(call, () => {
      this.#noteReceived(message);
      this.#receiver?.message(message);
    });
  }

  /** Several messages were posted in one array, in a revision in which that may be done. */
  receiveBatch(items: readonly (Message | MalformedMessage)[], call: HttpRequest): void {
    this.#deliver(call, () => {
      for (const item of items) if (!(item instanceof MalformedMessage)) this.#noteReceived(item);
      this.#receiver?.batch(items);
    });
  }

  /** Whether the client was asked something under this id. */
  hasAsked(id: RequestId): boolean {
    return this.#asked.has(id);
  }

  /** Takes note of what was no message. A broken answer is one all the same, for which nobody should go on waiting. */
  hearMalformed(error: MalformedMessage): void {
    if (error.mayAnswer) return;
    this.#asked.delete(error.id);
    this.#receiver?.malformed(error);
  }

  /** The client has closed the stream. */
  lost(): void {
    this.#stream.lost();
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.closed();
  }

  #deliver(call: HttpRequest, deliver: () => void): void {
    this.#call = call;
    this.#client = call.client;
    try {
      deliver();
    } finally {
      this.#call = undefined;
    }
  }

  #noteReceived(message: Message): void {
    if (!("method" in message)) this.#asked.delete(message.id);
  }

  #noteSent(message: Message): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#asked.add(message.id);
    else if (message.method === CANCELLED) this.#asked.delete(idIn(message));
  }
}

/** Whether something that was posted asks for an answer. */
export function isRequest(message: Message | MalformedMessage): message is RequestMessage {
  return "method" in message && "id" in message;
}

const CANCELLED = "notifications/cancelled";

function idIn({ params }: NotificationMessage): unknown {
  return (params as { requestId?: unknown } | undefined)?.requestId;
}
