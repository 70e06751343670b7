import {
  encodeMessage,
  MalformedMessage,
  readMessage,
  TransportError,
  type Channel,
  type ChannelReceiver,
  type Message,
  type Outgoing,
} from "@toolwire/protocol";
import { encodeEvent } from "@toolwire/protocol/framing";
import { serveChannel, type ServedChannel } from "../../channel/serve-channel.ts";
import type { HttpCall } from "../call.ts";
import type { EventStream } from "../event-stream.ts";
import { readJson } from "../json-body.ts";
import { encodeMessageEvent } from "../message-event.ts";
import type { HttpSettings } from "../options.ts";
import { refuse, wrongMethod } from "../refusals.ts";
import { shuttingDown, tooMany } from "../../serving/refusals.ts";
import { noStream } from "./refusals.ts";

type Paths = NonNullable<HttpSettings["legacySse"]>;

/** One client. */
interface Connection {
  readonly channel: SseChannel;
  readonly served: ServedChannel;
  /** The caller that opened the stream, and the only one that may post to it. */
  readonly principal: string | undefined;
}

/**
 * The HTTP+SSE transport of 2024-11-05: a client opens a stream of events, is told where to post its messages, and gets
 * all answers on the stream. Stream and posts together are a channel like any other.
 */
export class SsePair {
  readonly #paths: Paths;
  readonly #connections = new Map<string, Connection>();
  #isClosed = false;

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  /** Takes a request for one of the two paths. */
  accept(call: HttpCall, path: string): void {
    const { method } = call.front;
    if (path === this.#paths.streamPath && method === "GET") return this.#open(call);
    if (path === this.#paths.messagePath && method === "POST") return this.#receive(call);
    refuse(call, wrongMethod(call, path === this.#paths.streamPath ? "GET" : "POST"));
  }

  /** Lets what is in the works finish in time, then ends all streams. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections.values()].map(({ served }) => served.close()));
  }

  #open(call: HttpCall): void {
    if (this.#isClosed) return refuse(call, shuttingDown());
    if (!call.accepts.events) return refuse(call, noStream());
    const { serving, settings } = call.endpoint;
    if (this.#connections.size >= (settings.sessions?.max ?? settings.maxInFlight)) {
      return refuse(call, tooMany("streams", 60));
    }
    const id = crypto.randomUUID();
    const stream = call.openEvents();
    const channel = new SseChannel(stream);
    const { principal } = call;
    const served = serveChannel(serving, channel, {
      binding: "http",
      principal,
      header: (name) => call.header(name),
      maxInFlight: settings.maxInFlightPerClient,
      closeTimeout: settings.closeTimeout,
    });
    this.#connections.set(id, { channel, served, principal: principal?.id });
    void served.closed.then(() => this.#connections.delete(id));
    call.front.onGone(() => channel.lost());
    void stream.write(encodeEvent({ event: "endpoint", data: `${this.#paths.messagePath}?sessionId=${id}` }));
  }

  #receive(call: HttpCall): void {
    const id = new URLSearchParams(call.front.target.split("?")[1]).get("sessionId") ?? "";
    const connection = this.#connections.get(id);
    if (connection === undefined || connection.principal !== call.principal?.id) {
      const message = "There is no such session, or its stream has ended. Open a new stream.";
      return refuse(call, { status: 404, message });
    }
    readJson(call, (value) => {
      const message = connection.channel.read(value);
      // The answer comes on the stream, so all there is to say here is that it was understood.
      call.send(202);
      connection.channel.receive(message);
    });
  }
}

/** What a client posts comes in, what it is sent goes out as events. */
class SseChannel implements Channel {
  readonly #stream: EventStream;
  #receiver: ChannelReceiver | undefined;

  constructor(stream: EventStream) {
    this.#stream = stream;
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
  }

  send(message: Outgoing): void | Promise<void> {
    if (!this.#stream.isOpen) throw new TransportError("CLOSED", "The client has closed the stream of events.");
    return this.#stream.write(encodeMessageEvent(encodeMessage(message)));
  }

  async close(): Promise<void> {
    this.#stream.end();
    this.lost();
  }

  /** Reads what was posted. A broken answer is one all the same, for which nobody should go on waiting. */
  read(value: unknown): Message {
    try {
      return readMessage(value);
    } catch (error) {
      if (error instanceof MalformedMessage && !error.mayAnswer) this.#receiver?.malformed(error);
      throw error;
    }
  }

  /** A message was posted. */
  receive(message: Message): void {
    this.#receiver?.message(message);
  }

  /** The client has closed the stream. */
  lost(): void {
    this.#stream.lost();
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.closed();
  }
}
