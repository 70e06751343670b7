import { encodeEvent } from "@toolwire/protocol/framing";
import type { ServerConnection } from "../../../binding.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { StreamHolder } from "../../../cluster/sessions.ts";
import { encodeMessageEvent, type EventStream, type MessageStream } from "../../../bindings/http/events.ts";
import { writeStandaloneEventId, writeStreamKey } from "./ids.ts";
import { reach, tellNode } from "./reach.ts";
import type { SharedRecord } from "./shared-record.ts";

/** How often a record is read again that changes while it is read. */
const MOST_READS = 10;

/** A stream that a client has opened by GET. Its events name a place in the log of changes, from which any node goes on. */
export class StandaloneStream implements MessageStream {
  readonly key: string;
  readonly connection: EventStream;
  #place: string;
  #sequence = 0;

  constructor(key: string, connection: EventStream, place: string | undefined) {
    this.key = key;
    this.connection = connection;
    this.#place = place ?? "";
  }

  get place(): string | undefined {
    return this.#place === "" ? undefined : this.#place;
  }

  /** Sends an event without a message, so that the client knows where it stands. */
  prime(place: string | undefined, retryDelay: number): void {
    if (place !== undefined) this.#place = place;
    void this.connection.write(encodeEvent({ id: this.#nextId(), retry: retryDelay, data: "" }));
  }

  send(data: string, place?: string): void | Promise<void> {
    if (place !== undefined) this.#place = place;
    return this.connection.write(encodeMessageEvent(data, this.#nextId()));
  }

  finish(): void {
    this.connection.end();
  }

  disconnected(): void {
    this.connection.disconnected();
  }

  #nextId(): string {
    this.#sequence += 1;
    return writeStandaloneEventId(this.key, this.#place, this.#sequence);
  }
}

/** The event from which a client goes on. */
export interface StandalonePosition {
  readonly stream: string;
  readonly place: string | undefined;
}

/**
 * The standalone streams of one session at this node. Of all streams at all nodes, the latest one carries what belongs to no request,
 * for no message may be sent on several: the record of the session names it, and a number that grows with each.
 */
export class StandaloneStreams {
  readonly #cluster: Cluster;
  readonly #record: SharedRecord;
  readonly #state: ServerConnection;
  readonly #max: number;
  /** Those that are connected; the latest comes last. */
  readonly #streams: StandaloneStream[] = [];
  /** The number with which this node holds the role, if it does. */
  #fence: number | undefined;
  /** The node that held it before, and may still have a stream that is quiet now. */
  #before: StreamHolder | undefined;

  constructor(cluster: Cluster, record: SharedRecord, state: ServerConnection, max: number) {
    this.#cluster = cluster;
    this.#record = record;
    this.#state = state;
    this.#max = max;
  }

  get isConnected(): boolean {
    return this.#streams.length > 0;
  }

  /** The stream that carries messages, if it is here. */
  get carrier(): StandaloneStream | undefined {
    return this.#fence === undefined ? undefined : this.#streams.at(-1);
  }

  /**
   * Makes a stream of this node the one that carries messages. `connect` opens it. Returns `undefined` if the session has ended;
   * rejects with an `Unavailable` if nobody can tell.
   */
  async open(
    connect: (stream: StandaloneStreamOpening) => EventStream,
    { last, retryDelay, primes }: { last: StandalonePosition | undefined; retryDelay: number; primes: boolean },
  ): Promise<StandaloneStream | undefined> {
    const key = writeStreamKey("GET", this.#cluster.node);
    const fence = await this.#claim(key, last?.stream);
    if (fence === undefined) return undefined;
    const isLatest = await this.#readUp(fence);
    while (this.#streams.length >= this.#max) this.#streams.shift()?.finish();
    for (const old of this.#streams.filter((each) => each.key === last?.stream)) this.#remove(old)?.finish();
    const opening: StandaloneStreamOpening = { closed: () => {} };
    const stream = new StandaloneStream(key, connect(opening), last?.place);
    opening.closed = () => this.#closed(stream);
    if (!stream.connection.isOpen) {
      this.#letGo(fence, stream.place);
      return stream;
    }
    this.#streams.push(stream);
    // In the same turn as the head of the response: the client may rely on what it has opened.
    const place = isLatest ? await this.#carry(fence, last?.place) : last?.place;
    if (primes) stream.prime(place, retryDelay);
    return stream;
  }

  /** Another stream carries messages from now on, if its number is greater. */
  yield(fence: number, left: string | undefined): void {
    if (this.#fence !== undefined && fence > this.#fence) {
      this.#fence = undefined;
      this.#state.stopListening?.();
    }
    // The client has come back elsewhere for this very stream, so its connection here is dead.
    for (const stream of this.#streams) if (stream.key === left) this.#remove(stream)?.finish();
  }

  /** The stream that carried messages is gone: one that is quiet here takes over, from the place that the other had reached. */
  async reclaim(place: string | undefined): Promise<void> {
    const stream = this.#streams.at(-1);
    if (stream === undefined || this.#fence !== undefined) return;
    const fence = await this.#claim(stream.key, undefined);
    if (fence !== undefined && (await this.#readUp(fence))) await this.#carry(fence, place ?? stream.place);
  }

  /** Ends all streams, so that their clients come back elsewhere. Resolves when this node holds nothing any more. */
  async end(): Promise<void> {
    const fence = this.#fence;
    this.#fence = undefined;
    this.#before = undefined;
    this.#state.stopListening?.();
    for (const stream of this.#streams.splice(0)) stream.finish();
    if (fence !== undefined) await reach(this.#cluster.sessions.release(this.#record.id, fence)).catch(() => undefined);
  }

  async #claim(stream: string, left: string | undefined): Promise<number | undefined> {
    const { node, sessions } = this.#cluster;
    const claimed = await reach(sessions.claim(this.#record.id, { node, stream }));
    if (claimed === undefined) return undefined;
    const { fence, previous } = claimed;
    if (previous !== undefined && previous.node !== node) {
      this.#before = previous;
      tellNode(this.#cluster, previous.node, "legacy.yield", {
        session: this.#record.id,
        fence,
        ...(left !== undefined && { stream: left }),
      });
    }
    return fence;
  }

  /** Takes up what is watched. Returns whether no later stream has been opened at another node meanwhile. */
  async #readUp(fence: number): Promise<boolean> {
    let record = await this.#record.read();
    // Another node has changed something meanwhile, and relies on it that this one knows.
    for (let again = 0; this.#record.isStale && again < MOST_READS; again += 1) record = await this.#record.read();
    const holder = record?.holder;
    return holder === undefined || holder.fence <= fence || holder.node === this.#cluster.node;
  }

  /** Sends what has changed since a place, and what will change. Returns where the log stands. */
  async #carry(fence: number, after: string | undefined): Promise<string | undefined> {
    // A later claim of this node may be faster.
    if (fence > (this.#fence ?? 0)) this.#fence = fence;
    return (await this.#state.listen?.(after)) ?? after;
  }

  #closed(stream: StandaloneStream): void {
    const wasCarrier = stream === this.carrier;
    if (this.#remove(stream) === undefined || !wasCarrier) return;
    const fence = this.#fence;
    this.#fence = undefined;
    if (this.#streams.length > 0) return void this.reclaim(stream.place).catch(() => undefined);
    this.#state.stopListening?.();
    if (fence !== undefined) this.#letGo(fence, stream.place);
  }

  #letGo(fence: number, place: string | undefined): void {
    const before = this.#before;
    this.#before = undefined;
    const released = reach(this.#cluster.sessions.release(this.#record.id, fence));
    released.then(
      () => before && tellNode(this.#cluster, before.node, "legacy.reclaim", { session: this.#record.id, place }),
      () => undefined,
    );
  }

  #remove(stream: StandaloneStream): StandaloneStream | undefined {
    const index = this.#streams.indexOf(stream);
    return index === -1 ? undefined : this.#streams.splice(index, 1)[0];
  }
}

/** Tells a stream that its connection has closed. */
export interface StandaloneStreamOpening {
  closed: () => void;
}
