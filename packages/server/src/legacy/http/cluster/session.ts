import {
  encodeMessage,
  type Exchange,
  type ExchangeSink,
  type MalformedMessage,
  type NotificationMessage,
  ProtocolViolation,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import type { Origin } from "../../../binding.ts";
import type { MessageStream } from "../../../bindings/http/events.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { StoredEvent } from "../event-store.ts";
import type { GetStream } from "../get-stream.ts";
import { isThenable } from "../../../request/thenable.ts";
import { HttpSession, type SessionOwner, type SessionSettings } from "../session.ts";
import type { SessionStream } from "../session-stream.ts";
import { readQuestionId, wasGiven, writeStreamKey } from "./ids.ts";
import { askNode, tellAll, tellNode } from "./reach.ts";
import { RemoteStandaloneStream } from "./remote-standalone.ts";
import type { SharedRecord } from "./shared-record.ts";
import { Spill } from "./spill.ts";
import { StandaloneStreams } from "./standalone.ts";
import { startAtAnyNode } from "./start-stream.ts";

/**
 * How long a client may take to notice that it has lost a connection, and to come back, while the node takes what it has sent for
 * delivered. A node that ends leaves the streams of this time to the log.
 */
const NOTICED_AFTER_MS = 10_000;

/**
 * What one node knows of a session that all nodes serve: the requests that run here, the questions that they have asked, and the
 * streams that are connected here. It can be dropped whenever nothing of that is open; the rest is in the engine.
 */
export class ClusterSession extends HttpSession {
  readonly record: SharedRecord;
  readonly standalone: StandaloneStreams;
  /** Wake those that read a stream of another node, by the key of the stream. */
  readonly readers: Map<string, () => void> = new Map<string, () => void>();
  readonly #cluster: Cluster;
  /** Streams that are written to the log, by key. */
  readonly #spills = new Map<string, Spill>();
  /** When something was last added to a stream, by key. The latest come last; what is older than it matters is dropped. */
  readonly #added = new Map<string, number>();

  constructor(cluster: Cluster, settings: SessionSettings, owner: SessionOwner, record: SharedRecord) {
    super(settings, owner, record.id, record);
    this.#cluster = cluster;
    this.record = record;
    record.connect(this.state);
    this.standalone = new StandaloneStreams(cluster, record, this.state, settings.maxStreams);
  }

  override get isBusy(): boolean {
    return super.isBusy || this.#spills.size > 0 || this.readers.size > 0 || this.standalone.isConnected;
  }

  override get isConnected(): boolean {
    return super.isConnected || this.readers.size > 0 || this.standalone.isConnected;
  }

  // Messages of the client.

  override hear(message: NotificationMessage, origin: Origin): void | Promise<void> {
    const { record } = this;
    const session = this.id;
    const params = message.params as { requestId?: RequestId; progressToken?: unknown; reason?: unknown } | undefined;
    if (message.method === "notifications/cancelled" && params?.requestId !== undefined) {
      if (this.hasInFlight(params.requestId)) return super.hear(message, origin);
      // It may run at any node, or at none any more.
      const { requestId: request, reason } = params;
      if (isShort(request)) tellAll(this.#cluster, "legacy.cancel", { session, request, reason: cut(reason) });
      return;
    }
    const asking = message.method === "notifications/progress" ? readQuestionId(params?.progressToken) : undefined;
    if (asking !== undefined && asking.node !== this.#cluster.node) {
      return tellNode(this.#cluster, asking.node, "legacy.progress", { session, message });
    }
    record.latest = undefined;
    void super.hear(message, origin);
    // Set if the notification has changed what other nodes have to know.
    return record.latest;
  }

  override settle(response: ResponseMessage): ProtocolViolation | undefined | Promise<ProtocolViolation | undefined> {
    const asking = readQuestionId(response.id);
    return asking === undefined || asking.node === this.#cluster.node
      ? this.settleHere(response)
      : this.#settleAt(asking.node, response);
  }

  override settleHere(response: ResponseMessage): ProtocolViolation | undefined {
    const violation = super.settleHere(response);
    const asking = readQuestionId(response.id);
    if (violation?.code !== "UNKNOWN_RESPONSE" || asking?.node !== this.#cluster.node) return violation;
    return wasGiven(asking.number) ? late() : violation;
  }

  /** The node that has asked takes the answer once, however often it is sent. */
  async #settleAt(node: string, response: ResponseMessage): Promise<ProtocolViolation | undefined> {
    const reply = await askNode(this.#cluster, node, "legacy.answer", { session: this.id, response });
    if (reply === "gone" || reply === "unknown") {
      return new ProtocolViolation(
        "UNKNOWN_RESPONSE",
        "The server that has asked this is gone, or has ended the session.",
      );
    }
    return reply.value === "late" ? late() : undefined;
  }

  override noteMalformed(error: MalformedMessage): void {
    const asking = error.mayAnswer ? undefined : readQuestionId(error.id);
    if (asking === undefined || asking.node === this.#cluster.node) return super.noteMalformed(error);
    const body = { session: this.id, id: error.id, message: cut(error.message) };
    tellNode(this.#cluster, asking.node, "legacy.malformed", body);
  }

  // Messages to the client.

  override notify(message: NotificationMessage, place?: string): void | Promise<void> {
    return this.standalone.carrier?.send(encodeMessage(message), place);
  }

  override exchange(request: RequestMessage, sink: ExchangeSink, stream?: MessageStream): Exchange {
    const elsewhere = (): MessageStream =>
      new RemoteStandaloneStream(this.#cluster, this.record, (error) => this.#fail(request.id, error));
    return super.exchange(request, sink, stream ?? this.standalone.carrier ?? elsewhere());
  }

  #fail(id: RequestId, error: Error): void {
    this.failAsked(id, error);
  }

  // Streams.

  override startStream(opening: GetStream): Promise<void> {
    return startAtAnyNode(opening, this, this.#cluster);
  }

  override createStreamKey(method: "GET" | "POST"): string {
    return writeStreamKey(method, this.#cluster.node);
  }

  override endStreams(): void {
    void this.standalone.end();
  }

  /** Another node may be asked for the rest, also when this one is gone. */
  override noteDetached(stream: SessionStream): void {
    if (this.store !== undefined) this.#spill(stream.key);
  }

  override storeEvent(key: string, event: StoredEvent): Promise<void> | undefined {
    const stored = super.storeEvent(key, event);
    this.#spills.get(key)?.add([event]);
    this.#noteAdded(key);
    return stored;
  }

  #noteAdded(key: string): void {
    const now = performance.now();
    this.#added.delete(key);
    this.#added.set(key, now);
    for (const [oldest, added] of this.#added) {
      if (now - added <= NOTICED_AFTER_MS) break;
      this.#added.delete(oldest);
    }
  }

  override removeStream(stream: SessionStream): void {
    super.removeStream(stream);
    this.#finishSpill(stream.key);
  }

  /**
   * Lets another node send a stream of this one. Resolves when what there is of it is in the log. Returns `undefined` if there is
   * nothing of it here.
   */
  handOver(key: string, reader: string): Promise<void> | undefined {
    const unfinished = this.findStream(key);
    const isKept = unfinished !== undefined || this.#spills.has(key) || this.#listKept(key).length > 0;
    if (!isKept) return undefined;
    unfinished?.abandon();
    const spill = this.#spill(key);
    spill.reader = reader;
    if (unfinished === undefined) this.#finishSpill(key);
    return spill.written();
  }

  /** Whether another node may be sending a stream of this one. */
  isSpilled(key: string): boolean {
    return this.#spills.has(key);
  }

  #spill(key: string): Spill {
    const known = this.#spills.get(key);
    if (known !== undefined) return known;
    const spill = new Spill(this.#cluster, this.id, key, (error) => this.storeFailed(error));
    this.#spills.set(key, spill);
    // All that is kept, since what has reached the client is not known.
    spill.add(this.#listKept(key));
    return spill;
  }

  /** Lists the events of a stream that are kept here. The store of a node is in memory, and answers at once. */
  #listKept(key: string): readonly StoredEvent[] {
    const events = this.store?.after(this.id, key, 0);
    return events === undefined || isThenable(events) ? [] : events;
  }

  #finishSpill(key: string): void {
    const spill = this.#spills.get(key);
    if (spill === undefined) return;
    spill.finish();
    void spill.written().then(() => {
      if (spill.isDone) this.#spills.delete(key);
    });
  }

  /** Resolves when all that clients have not got is in the log, or may not have got. */
  async spilled(): Promise<void> {
    const now = performance.now();
    for (const [key, added] of this.#added) {
      if (now - added > NOTICED_AFTER_MS || this.#spills.has(key) || this.findStream(key) !== undefined) continue;
      this.#spill(key);
      this.#finishSpill(key);
    }
    await Promise.all(Array.from(this.#spills.values(), (spill) => spill.written()));
  }

  override close(status?: number): Promise<void> {
    for (const wake of this.readers.values()) wake();
    return super.close(status);
  }
}

function late(): ProtocolViolation {
  return new ProtocolViolation("LATE_RESPONSE", "This was answered already, or given up.");
}

/** Whether the id of a request, which a client has chosen, is short enough to be sent to all nodes. */
function isShort(id: unknown): boolean {
  return typeof id === "number" || (typeof id === "string" && id.length <= 256);
}

/** Words of a client, cut. */
function cut(words: unknown): string | undefined {
  return typeof words === "string" ? words.slice(0, 200) : undefined;
}
