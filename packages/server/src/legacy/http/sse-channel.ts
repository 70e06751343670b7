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
} from "@toolwire/protocol";
import type { RequestLimit } from "@toolwire/protocol/internal";
import type { Origin } from "../../binding.ts";
import type { DisconnectListener } from "../../bindings/http/adapter.ts";
import { encodeMessageEvent, type EventStream } from "../../bindings/http/events.ts";
import type { InFlightLimits } from "../../bindings/http/limits.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";

/** The HTTP+SSE transport of one client as a channel: posted messages come in, outgoing messages are events. */
export class SseChannel implements Channel, DisconnectListener {
  readonly #stream: EventStream;
  readonly #limits: InFlightLimits;
  #receiver: ChannelReceiver | undefined;
  /** The ids of requests to the client that are not answered. */
  readonly #asked = new Set<unknown>();
  /** The client that posts to the stream, as the limits count it. */
  #client: string | object;
  /** The HTTP request that brings a message, while the message is delivered. Not for longer: its body may be large. */
  #request: HttpRequest | undefined;
  /** Counts requests against the limits of the endpoint: all that is posted to one stream is of one client. */
  readonly limit: RequestLimit = {
    // A request beyond the limit is refused over HTTP before it gets here.
    reached: undefined,
    add: (change) => this.#limits.add(this.#client, change),
  };

  /** `request` is the GET that opened the stream. */
  constructor(stream: EventStream, request: HttpRequest) {
    this.#stream = stream;
    this.#limits = request.endpoint.limits;
    this.#client = request.client;
  }

  /** The origin of the message that is being delivered: its principal may have other rights by now, and its own headers. */
  originOf(shared: Origin): Origin {
    const request = this.#request;
    if (request === undefined) return shared;
    return { ...shared, principal: request.principal, header: (name) => request.header(name) };
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
    this.disconnected();
  }

  /** Delivers a posted message. */
  receive(message: Message, request: HttpRequest): void {
    this.#deliver(request, () => {
      this.#noteReceived(message);
      this.#receiver?.message(message);
    });
  }

  /** Delivers messages that were posted in one array. */
  receiveBatch(items: readonly (Message | MalformedMessage)[], request: HttpRequest): void {
    this.#deliver(request, () => {
      for (const item of items) if (!(item instanceof MalformedMessage)) this.#noteReceived(item);
      this.#receiver?.batch(items);
    });
  }

  /** Whether a request of this id to the client is not answered. */
  hasAsked(id: RequestId): boolean {
    return this.#asked.has(id);
  }

  /** Takes note of a malformed message. If it is a response, the request that it answers fails. */
  noteMalformed(error: MalformedMessage): void {
    if (error.mayAnswer) return;
    this.#asked.delete(error.id);
    this.#receiver?.malformed(error);
  }

  /** The client has closed the stream. */
  disconnected(): void {
    this.#stream.disconnected();
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.closed();
  }

  #deliver(request: HttpRequest, deliver: () => void): void {
    this.#request = request;
    this.#client = request.client;
    try {
      deliver();
    } finally {
      this.#request = undefined;
    }
  }

  #noteReceived(message: Message): void {
    if (!("method" in message)) this.#asked.delete(message.id);
  }

  #noteSent(message: Message): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#asked.add(message.id);
    else if (message.method === "notifications/cancelled") this.#asked.delete(requestIdOf(message));
  }
}

function requestIdOf({ params }: NotificationMessage): unknown {
  return (params as { requestId?: unknown } | undefined)?.requestId;
}
