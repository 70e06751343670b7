import { type Bus, type BusListener, type BusMessage, type ChangeBatch, ClusterError } from "@toolwire/server/cluster";
import type { Engine } from "../engine/engine.ts";
import { bytesOf, expectKey, expectSize } from "../engine/values.ts";
import { ChangeLog, type LogPosition, readPlace } from "./change-log.ts";
import { Inbox } from "./inbox.ts";
import { type Packet, parsePacket } from "./packets.ts";
import { Post } from "./post.ts";
import { Requests } from "./requests.ts";
import { Seal } from "./seal.ts";
import { Tail } from "./tail.ts";

/** The channels of a schema. They are known to every role, and name nothing but nodes. */
export function nameChannels(schema: string): { readonly all: string; of(node: string): string } {
  return { all: `${schema}.all`, of: (node) => `${schema}.${node}` };
}

/** The bus of one node: notifications wake nodes up, and tables hold what they must not miss. */
export class PostgresBus implements Bus {
  readonly #node: string;
  readonly #engine: Engine;
  readonly #maxMessageBytes: number;
  readonly #channels: ReturnType<typeof nameChannels>;
  readonly #listeners = new Set<BusListener>();
  readonly #inbox = new Inbox(this.#listeners);
  readonly #requests = new Requests();
  readonly #log: ChangeLog;
  readonly #tail: Tail;
  readonly #post: Post;
  #seal: { readonly secret: string; readonly seal: Seal } | undefined;

  constructor(node: string, engine: Engine, schema: string, maxMessageBytes: number) {
    this.#node = node;
    this.#engine = engine;
    this.#maxMessageBytes = maxMessageBytes;
    this.#channels = nameChannels(schema);
    this.#log = new ChangeLog(engine, schema, this.#channels.all);
    this.#tail = new Tail(this.#log, this.#listeners);
    this.#post = new Post(engine, schema, node, () => this.#expectSeal());
    engine.stateChanged.add((isUp) => {
      for (const listener of this.#listeners) listener.stateChanged?.(isUp);
    });
  }

  get isUp(): boolean {
    return this.#engine.isUp;
  }

  async request(node: string, message: BusMessage, { timeout }: { readonly timeout: number }): Promise<unknown> {
    const packet = this.#pack(message);
    const reply =
      node === this.#node
        ? await this.#ask(packet, timeout)
        : await this.#requests.send(node, packet.id, timeout, () =>
            this.#post.sendTo(node, this.#channels.of(node), packet),
          );
    expectSize("A reply", bytesOf(reply), this.#maxMessageBytes);
    return JSON.parse(reply) as unknown;
  }

  async broadcast(message: BusMessage): Promise<void> {
    await this.#post.send(this.#channels.all, this.#pack(message));
  }

  announce(changes: readonly string[]): Promise<void> {
    return this.#log.append(changes);
  }

  async changesAfter(place: string, limit: number): Promise<ChangeBatch | "gap"> {
    const position = readPlace(place);
    if (position === undefined) return "gap";
    const found = await this.#log.after(position, limit);
    return "gap" in found ? "gap" : found.batch;
  }

  listen(listener: BusListener): () => void {
    this.#listeners.add(listener);
    const { place } = this.#tail;
    queueMicrotask(() => {
      if (place !== undefined && this.#listeners.has(listener)) listener.changes({ changes: [], place });
    });
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Takes a notification. Every role of the database may have sent it, except those that a seal vouches for. */
  hear(payload: string, channel: string): void {
    const rest = payload.slice(1);
    if (payload.startsWith("c")) this.#tail.read();
    else if (payload.startsWith("g")) this.#requests.ask(rest);
    else if (payload.startsWith("s")) void this.#open(rest, channel).catch(() => {});
  }

  /** Takes what a heartbeat has found out. */
  update(secret: string, log: LogPosition | undefined): void {
    if (this.#seal?.secret !== secret) this.#seal = { secret, seal: new Seal(secret) };
    if (log !== undefined) this.#tail.look(log);
  }

  close(): void {
    this.#tail.close();
    this.#listeners.clear();
    this.#requests.close();
  }

  #pack({ id, kind, body }: BusMessage): Packet & { readonly kind: string; readonly body: string } {
    if (!this.#engine.isOpen) throw new ClusterError("UNAVAILABLE", "This node has left its cluster.");
    const text = JSON.stringify(body ?? null);
    expectSize("A message", bytesOf(text), this.#maxMessageBytes);
    expectKey(id);
    expectKey(kind);
    return { type: "message", id, kind, from: this.#node, body: text };
  }

  /** A request of this node to itself. It needs no engine. */
  #ask(
    { id, kind, body }: Packet & { readonly kind: string; readonly body: string },
    timeout: number,
  ): Promise<string> {
    return this.#requests.send(this.#node, id, timeout, async () => {
      const reply = await this.#inbox.receive({ id, kind, body: JSON.parse(body) as unknown }, this.#node);
      if (reply !== undefined) this.#requests.settle(this.#node, id, reply);
      return true;
    });
  }

  async #open(sealed: string, channel: string): Promise<void> {
    const text = this.#expectSeal().open(sealed, channel);
    const packet = text === undefined ? undefined : parsePacket(text);
    if (packet === undefined || packet.from === this.#node) return;
    const { type, id, from, kind = "", row } = packet;
    if (type === "reply" && !this.#requests.expects(from, id)) return;
    const body = await this.#post.findBody(packet);
    if (type === "reply") {
      // A row that is not there any more is an answer that came too late: the request is sent again, and then the reply.
      if (body !== undefined || row === undefined) this.#requests.settle(from, id, body);
      return;
    }
    if (body === undefined) return;
    const reply = await this.#inbox.receive({ id, kind, body: JSON.parse(body) as unknown }, from);
    if (reply === undefined || channel === this.#channels.all) return;
    const answer: Packet = { type: "reply", id, from: this.#node };
    const fits = bytesOf(reply) <= this.#maxMessageBytes;
    await this.#post.send(this.#channels.of(from), fits ? { ...answer, body: reply } : answer);
  }

  #expectSeal(): Seal {
    if (this.#seal === undefined) throw new ClusterError("UNAVAILABLE", "This node has not joined its cluster yet.");
    return this.#seal.seal;
  }
}
