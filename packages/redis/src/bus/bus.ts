import { type Bus, type BusListener, type BusMessage, type ChangeBatch, ClusterError } from "@toolwire/server/cluster";
import { LONGEST_TIMER } from "@toolwire/protocol/internal";
import type { Link } from "../client/client.ts";
import type { Engine } from "../engine/engine.ts";
import { unavailable } from "../engine/errors.ts";
import { expectKey, expectSize, type Names } from "../engine/names.ts";
import { numberOf, optionalTextOf } from "../engine/replies.ts";
import { Script } from "../engine/script.ts";
import { RedisChangeLog } from "./change-log.ts";
import { Inbox } from "./inbox.ts";
import { Pulse } from "./pulse.ts";
import { Subscriber } from "./subscriber.ts";
import { isNodeName, readPublished, writePublished, type Published } from "./wire.ts";

/** What is larger than this in bytes is not published, but put under a key: Redis cuts off subscribers that are slow to read. */
const LARGEST_PUBLISHED = 64 * 1024;

/** How long such a key is kept, in milliseconds. */
const BODY_TTL = 30_000;

/** After how many milliseconds a request is sent again: it, or its reply, may have been lost. */
const RESEND = 1000;

/** 0 if a node has ended: it has said so, or there is neither a sign of it nor anybody who hears. */
const DELIVER = new Script(`
local sign = redis.call('GET', KEYS[1])
if sign == 'gone' then return 0 end
local heard = redis.call('PUBLISH', ARGV[1], ARGV[2])
if sign or heard > 0 then return 1 end
return 0`);

/** Someone who waits for a reply. */
interface Waiter {
  settle(reply: string): void;
  fail(error: ClusterError): void;
}

/** The parts and limits of a bus. */
export interface BusOptions {
  readonly node: string;
  readonly token: () => string;
  readonly maxMessageBytes: number;
  readonly maxChanges: number;
  readonly pollInterval: number;
}

/** The bus of one node: channels for messages, which may be lost and are sent again, and a log for changes. */
export class RedisBus implements Bus {
  readonly #engine: Engine;
  readonly #names: Names;
  readonly #options: BusOptions;
  readonly #inbox = new Inbox();
  readonly #log: RedisChangeLog;
  readonly #subscriber: Subscriber;
  readonly #pulse: Pulse;
  /** By node and message id. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #isOpen = true;

  constructor(link: Link, engine: Engine, names: Names, options: BusOptions) {
    this.#engine = engine;
    this.#names = names;
    this.#options = options;
    const { listeners } = this.#inbox;
    this.#log = new RedisChangeLog(engine, names, { ...options, max: options.maxChanges, listeners });
    this.#subscriber = new Subscriber(link, [names.inbox(options.node), names.all], {
      hear: (text) => {
        this.#pulse.heard();
        void this.#hear(text);
      },
      resumed: () => this.#pulse.ping(),
    });
    this.#pulse = new Pulse(engine, names, {
      node: options.node,
      interval: options.pollInterval,
      catchUp: () => void this.#log.catchUp(),
      fellSilent: () => this.#subscriber.replace(),
    });
    engine.observe((isUp) => {
      for (const listener of listeners) listener.stateChanged?.(isUp);
      if (isUp) this.#pulse.recovered();
    });
  }

  get isUp(): boolean {
    return this.#engine.isUp;
  }

  /** Begins to hear. Resolves once this node can be reached. */
  async open(): Promise<void> {
    await this.#subscriber.open();
    await this.#log.open();
    await this.#pulse.start();
  }

  async request(node: string, message: BusMessage, { timeout }: { readonly timeout: number }): Promise<unknown> {
    const text = this.#pack("request", message);
    if (!isNodeName(node)) throw nodeGone();
    const key = `${node} ${message.id}`;
    let late: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setInterval> | undefined;
    let waiter: Waiter | undefined;
    try {
      const reply = new Promise<string>((resolve, reject) => {
        waiter = { settle: resolve, fail: reject };
        this.#wait(key, waiter);
        const fail = (): void => reject(new ClusterError("TIMEOUT", "Another node has not replied in time."));
        late = setTimeout(fail, Math.min(timeout, LONGEST_TIMER));
      });
      // It may fail while the message is still on its way.
      reply.catch(() => {});
      const send = await this.#prepare(text);
      const deliver = async (): Promise<void> => {
        if (
          numberOf(await this.#engine.run(DELIVER, [this.#names.node(node)], [this.#names.inbox(node), send])) === 0
        ) {
          throw nodeGone();
        }
      };
      await Promise.race([deliver(), reply]);
      again = setInterval(() => {
        deliver().catch((error: unknown) => {
          if (error instanceof ClusterError && error.code === "NODE_GONE") waiter?.fail(error);
        });
      }, RESEND);
      return JSON.parse(await reply) as unknown;
    } finally {
      clearTimeout(late);
      clearInterval(again);
      if (waiter !== undefined) this.#stopWaiting(key, waiter);
    }
  }

  async broadcast(message: BusMessage): Promise<void> {
    await this.#publish(this.#names.all, this.#pack("broadcast", message));
  }

  async announce(changes: readonly string[]): Promise<void> {
    await this.#log.append(changes);
  }

  changesAfter(place: string, limit: number): Promise<ChangeBatch | "gap"> {
    return this.#log.after(place, limit);
  }

  listen(listener: BusListener): () => void {
    const { listeners } = this.#inbox;
    listeners.add(listener);
    queueMicrotask(() => {
      if (listeners.has(listener)) listener.changes({ changes: [], place: this.#log.place });
    });
    return () => void listeners.delete(listener);
  }

  /** Tells the other nodes that this one has ended. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#inbox.listeners.clear();
    await this.#pulse.end(writePublished({ type: "gone", from: this.#options.node }));
    this.#subscriber.close();
    for (const [, waiters] of this.#waiting) {
      for (const waiter of waiters) waiter.fail(unavailable("This node has left its cluster."));
    }
  }

  #pack(type: "request" | "broadcast", message: BusMessage): string {
    expectSize("A message", Buffer.byteLength(JSON.stringify(message.body ?? null)), this.#options.maxMessageBytes);
    const { id, kind, body = null } = message;
    const from = this.#options.node;
    return writePublished({ type, from, message: { id: expectKey(id), kind: expectKey(kind), body } });
  }

  /** Puts a text under a key if it is large. Returns what to publish. */
  async #prepare(text: string): Promise<string> {
    if (text.length <= LARGEST_PUBLISHED / 3 || Buffer.byteLength(text) <= LARGEST_PUBLISHED) return text;
    const name = this.#options.token();
    const key = this.#names.body(name);
    await this.#engine.call(key, ["SET", key, text, "PX", String(BODY_TTL)]);
    return writePublished({ type: "body", name });
  }

  async #publish(channel: string, text: string): Promise<void> {
    await this.#engine.call(channel, ["PUBLISH", channel, await this.#prepare(text)]);
  }

  async #hear(text: string): Promise<void> {
    const published = readPublished(text);
    try {
      switch (published?.type) {
        case "changes":
          await this.#log.catchUp();
          break;
        case "body":
          await this.#fetch(published.name);
          break;
        case "request":
          await this.#reply(published.from, published.message);
          break;
        case "broadcast":
          if (published.from !== this.#options.node) await this.#inbox.receive(published.message, published.from);
          break;
        case "reply":
          this.#settle(published);
          break;
        case "gone":
          this.#forget(published.from);
          break;
        // A ping has done what it is for by arriving.
        case "ping":
        case undefined:
          break;
      }
    } catch {
      // The engine failed, or a listener: then nobody replies, and the sender sends again.
    }
  }

  /** Hears a text that is under a key. */
  async #fetch(name: string): Promise<void> {
    const key = this.#names.body(name);
    const text = optionalTextOf(await this.#engine.call(key, ["GET", key]));
    if (text !== undefined) await this.#hear(text);
  }

  async #reply(to: string, message: BusMessage): Promise<void> {
    const reply = await this.#inbox.receive(message, to);
    const fits = Buffer.byteLength(reply) <= this.#options.maxMessageBytes;
    const { node } = this.#options;
    const answer = { type: "reply", from: node, id: message.id, reply: fits ? reply : undefined } as const;
    await this.#publish(this.#names.inbox(to), writePublished(answer));
  }

  #settle({ from, id, reply }: Extract<Published, { type: "reply" }>): void {
    for (const waiter of this.#waiting.get(`${from} ${id}`) ?? []) {
      if (reply === undefined) waiter.fail(new ClusterError("TOO_LARGE", "A reply is larger than the engine takes."));
      else waiter.settle(reply);
    }
  }

  #forget(node: string): void {
    for (const [key, waiters] of this.#waiting) {
      if (!key.startsWith(`${node} `)) continue;
      for (const waiter of waiters) waiter.fail(nodeGone());
    }
  }

  #wait(key: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiters.add(waiter));
  }

  #stopWaiting(key: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(key);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(key);
  }
}

function nodeGone(): ClusterError {
  return new ClusterError("NODE_GONE", "Another node has ended.");
}
