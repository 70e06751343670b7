import { hasFeature, MalformedMessage, readMessage } from "@toolwire/protocol";
import { encodeEvent } from "@toolwire/protocol/framing";
import { openChannel, type OpenedChannel } from "../../bindings/channel/serve-channel.ts";
import type { HttpCall } from "../../bindings/http/request.ts";
import { readJson } from "../../bindings/http/receive.ts";
import type { HttpSettings } from "../../bindings/http/options.ts";
import { refuse, wrongMethod } from "../../bindings/http/errors.ts";
import { mountOf, pathOf } from "../../bindings/admission/hosts.ts";
import { shuttingDown, tooMany, tooManyOfOne } from "../../bindings/admission/refusals.ts";
import { shareOf, Shares } from "../../bindings/admission/callers.ts";
import { readBatch, refuseBatch } from "./batch.ts";
import { noBatches, noStream } from "./errors.ts";
import { isRequest, SseChannel } from "./sse-channel.ts";

type Paths = NonNullable<HttpSettings["legacySse"]>;

/** One client. */
interface Connection {
  readonly channel: SseChannel;
  readonly served: OpenedChannel;
  /** The caller that opened the stream, and the only one that may post to it. */
  readonly principal: string | undefined;
}

/**
 * The HTTP+SSE transport of 2024-11-05: a client opens a stream of events, is told where to post its messages, and gets
 * all answers on the stream. Stream and posts together are a channel like any other.
 */
export class SsePair {
  readonly #paths: Paths;
  readonly #max: number;
  readonly #shares: Shares;
  readonly #connections = new Map<string, Connection>();
  #isClosed = false;

  constructor(paths: Paths, { sessions, maxInFlight }: HttpSettings) {
    this.#paths = paths;
    this.#max = sessions?.max ?? maxInFlight;
    this.#shares = new Shares(sessions?.maxPerClient ?? shareOf(maxInFlight));
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
    const { caller } = call;
    if (this.#connections.size >= this.#max) return refuse(call, tooMany("streams", 60));
    if (!this.#shares.hasRoom(caller)) return refuse(call, tooManyOfOne("streams", 60));
    const id = crypto.randomUUID();
    const stream = call.openEvents();
    const channel = new SseChannel(stream, call);
    const served = openChannel(
      serving,
      channel,
      {
        binding: "http",
        principal: call.principal,
        maxInFlight: channel.limit,
        closeTimeout: settings.closeTimeout,
      },
      (shared) => channel.originOf(shared),
    );
    this.#connections.set(id, { channel, served, principal: call.principal?.id });
    this.#shares.take(caller);
    void served.closed.then(() => {
      this.#connections.delete(id);
      this.#shares.release(caller);
    });
    call.front.onGone(() => channel.lost());
    const endpoint = `${this.#messagePathFor(call)}?sessionId=${id}`;
    void stream.write(encodeEvent({ event: "endpoint", data: endpoint }));
  }

  /** Where a client posts to: below what a framework has mounted the handler on, if it opened its stream there. */
  #messagePathFor({ front }: HttpCall): string {
    const { streamPath, messagePath } = this.#paths;
    const path = pathOf(front.target);
    return path === streamPath ? messagePath : mountOf(path, front.routedPath) + messagePath;
  }

  #receive(call: HttpCall): void {
    const id = new URLSearchParams(call.front.target.split("?")[1]).get("sessionId") ?? "";
    const connection = this.#connections.get(id);
    if (connection === undefined || connection.principal !== call.principal?.id) {
      const message = "There is no such session; open a new stream.";
      return refuse(call, { status: 404, message });
    }
    // Each message may come over another connection, and all of them count for the client at the stream.
    call.connection = connection;
    readJson(call, (value) =>
      Array.isArray(value) ? takeBatch(call, value, connection) : take(call, value, connection),
    );
  }
}

/** Takes one message. The answer comes on the stream, so all there is to say here is that it was understood. */
function take(call: HttpCall, value: unknown, { channel }: Connection): void {
  try {
    const message = readMessage(value);
    if (isRequest(message) && !call.endpoint.load.hasRoom(call, 1, message.id)) return;
    call.send(202);
    channel.receive(message, call);
  } catch (error) {
    if (error instanceof MalformedMessage) channel.hearMalformed(error);
    throw error;
  }
}

function takeBatch(call: HttpCall, items: readonly unknown[], { channel, served }: Connection): void {
  const { revision } = served.connection;
  if (revision === undefined || !hasFeature(revision, "batches")) return refuseBatch(call, items, channel, noBatches());
  const messages = readBatch(call, items, channel);
  if (messages === undefined || !call.endpoint.load.hasRoom(call, messages.filter(isRequest).length)) return;
  call.send(202);
  channel.receiveBatch(messages, call);
}
