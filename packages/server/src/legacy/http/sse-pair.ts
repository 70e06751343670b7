import { hasFeature, MalformedMessage, type Message, readMessage, type RequestMessage } from "@toolwire/protocol";
import { encodeEvent } from "@toolwire/protocol/framing";
import { CallerShares, defaultShare } from "../../bindings/admission/callers.ts";
import { mountPathOf, pathOf } from "../../bindings/admission/hosts.ts";
import { type Refusal, shuttingDown, tooMany, tooManyOfClient } from "../../bindings/admission/refusals.ts";
import { openChannel, type OpenedChannel } from "../../bindings/channel/serve-channel.ts";
import type { HttpRequestAdapter } from "../../bindings/http/adapter.ts";
import type { HttpEndpoint } from "../../bindings/http/endpoint.ts";
import type { OwnPaths } from "../../bindings/http/era.ts";
import { methodNotAllowed, noBatches, refuse } from "../../bindings/http/errors.ts";
import { readJson } from "../../bindings/http/receive.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import { readBatch, refuseBatch } from "./batch.ts";
import { ForwardedPosts } from "./cluster/forwarded-posts.ts";
import { noSuchStream, streamNotAccepted } from "./errors.ts";
import type { LegacyHttpSettings } from "./options.ts";
import { SseChannel } from "./sse-channel.ts";

type Paths = NonNullable<LegacyHttpSettings["sse"]>;

/** How many streams may be open, in all and by client. */
interface StreamLimits {
  readonly max: number;
  readonly maxPerClient?: number | undefined;
}

/** The stream of one client. */
interface Connection {
  readonly channel: SseChannel;
  readonly served: OpenedChannel;
  /** The id of the principal that opened the stream, and the only one that may post to it. */
  readonly principal: string | undefined;
}

/**
 * The HTTP+SSE transport of 2024-11-05: a client opens an event stream, is told where to post its messages, and gets all
 * responses on the stream. Stream and posts together are a channel like any other.
 */
export class SsePair implements OwnPaths {
  readonly #paths: Paths;
  readonly #max: number;
  readonly #shares: CallerShares;
  readonly #connections = new Map<string, Connection>();
  /** Brings posts to the process that has the stream, if there are several. */
  readonly #forwarded: ForwardedPosts | undefined;
  #isClosed = false;

  constructor(paths: Paths, { max, maxPerClient = defaultShare(max) }: StreamLimits, endpoint: HttpEndpoint) {
    this.#paths = paths;
    const { cluster } = endpoint.settings;
    this.#forwarded =
      cluster && new ForwardedPosts(cluster, endpoint, (id, request, value) => this.#deliver(id, request, value));
    this.#max = max;
    this.#shares = new CallerShares(maxPerClient);
  }

  includes(adapter: HttpRequestAdapter): boolean {
    return this.#findPath(adapter) !== undefined;
  }

  /** Returns the path of the options that a request asks for, as its client wrote it or as a framework routes it. */
  #findPath({ target, routedPath }: HttpRequestAdapter): string | undefined {
    const { streamPath, messagePath } = this.#paths;
    return [pathOf(target), routedPath].find((asked) => asked === streamPath || asked === messagePath);
  }

  /** Handles a request for one of the two paths. */
  accept(request: HttpRequest): void {
    const { method } = request.adapter;
    const isStream = this.#findPath(request.adapter) === this.#paths.streamPath;
    const allowed = isStream ? "GET" : "POST";
    if (method !== allowed) refuse(request, methodNotAllowed(method, allowed));
    else if (isStream) this.#open(request);
    else this.#receive(request);
  }

  /** Lets requests in flight finish in time, then ends all streams. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections.values()].map(({ served }) => served.close()));
    this.#forwarded?.close();
  }

  #checkOpen(request: HttpRequest): Refusal | undefined {
    if (this.#isClosed) return shuttingDown();
    if (!request.accepts.events) return streamNotAccepted();
    if (this.#connections.size >= this.#max) return tooMany("streams", 60);
    return this.#shares.hasRoom(request.caller) ? undefined : tooManyOfClient("streams", 60);
  }

  #open(request: HttpRequest): void {
    const refusal = this.#checkOpen(request);
    if (refusal !== undefined) return refuse(request, refusal);
    const { server, settings } = request.endpoint;
    const { caller } = request;
    const id = this.#forwarded?.createId() ?? crypto.randomUUID();
    const stream = request.openEventStream();
    const channel = new SseChannel(stream, request);
    const served = openChannel(
      server,
      channel,
      {
        binding: "http",
        principal: request.principal,
        maxInFlight: channel.limit,
        closeTimeout: settings.closeTimeout,
      },
      (shared) => channel.originOf(shared),
    );
    this.#connections.set(id, { channel, served, principal: request.principal?.id });
    this.#shares.take(caller);
    void served.closed.then(() => {
      this.#connections.delete(id);
      this.#shares.release(caller);
    });
    request.adapter.onDisconnect(channel);
    const endpoint = `${this.#messagePathFor(request)}?sessionId=${id}`;
    void stream.write(encodeEvent({ event: "endpoint", data: endpoint }));
  }

  /** The path to post to: below the prefix that a framework has mounted the handler on, if the stream was opened there. */
  #messagePathFor({ adapter }: HttpRequest): string {
    const { streamPath, messagePath } = this.#paths;
    const path = pathOf(adapter.target);
    return path === streamPath ? messagePath : mountPathOf(path, adapter.routedPath) + messagePath;
  }

  #receive(request: HttpRequest): void {
    const id = new URLSearchParams(request.adapter.target.split("?")[1]).get("sessionId") ?? "";
    const connection = this.#find(id, request);
    if (connection !== undefined) readJson(request, (_, value) => receive(request, value, connection));
    else if (this.#forwarded?.forward(request, id) !== true) refuse(request, noSuchStream());
  }

  #find(id: string, request: HttpRequest): Connection | undefined {
    const connection = this.#connections.get(id);
    return connection?.principal === request.principal?.id ? connection : undefined;
  }

  /** Delivers what was posted to another process. Returns false if there is no such stream here. */
  #deliver(id: string, request: HttpRequest, value: unknown): boolean {
    const connection = this.#find(id, request);
    if (connection !== undefined) receive(request, value, connection);
    return connection !== undefined;
  }
}

function receive(request: HttpRequest, value: unknown, connection: Connection): void {
  // Each message may come over another connection; all of them count for the client at the stream.
  request.connection = connection;
  if (Array.isArray(value)) receiveBatch(request, value, connection);
  else receiveMessage(request, value, connection);
}

/** Delivers one message. Its response comes on the stream, so the POST gets a mere confirmation. */
function receiveMessage(request: HttpRequest, value: unknown, { channel }: Connection): void {
  try {
    const message = readMessage(value);
    const refusal = isRequest(message) ? request.endpoint.limits.check(request.client, 1, message.id) : undefined;
    if (refusal !== undefined) return refuse(request, refusal);
    request.respond(202);
    channel.receive(message, request);
  } catch (error) {
    if (error instanceof MalformedMessage) channel.noteMalformed(error);
    throw error;
  }
}

function receiveBatch(request: HttpRequest, items: readonly unknown[], { channel, served }: Connection): void {
  const { revision } = served.connection;
  if (revision === undefined || !hasFeature(revision, "batches")) {
    return refuseBatch(request, items, channel, noBatches());
  }
  const messages = readBatch(request, items, channel);
  if (messages === undefined) return;
  const refusal = request.endpoint.limits.check(request.client, messages.filter(isRequest).length);
  if (refusal !== undefined) return refuse(request, refusal);
  request.respond(202);
  channel.receiveBatch(messages, request);
}

function isRequest(message: Message | MalformedMessage): message is RequestMessage {
  return "method" in message && "id" in message;
}
