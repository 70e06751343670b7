import type { Bus, BusListener, BusMessage, ChangeBatch } from "../bus.ts";
import { LONGEST_TIMER } from "@toolwire/protocol/internal";
import { ClusterError } from "../cluster.ts";
import type { ChangeLog } from "./change-log.ts";
import type { Clock } from "./expiring-map.ts";
import { Inbox } from "../inbox.ts";
import { expectKey, expectSize } from "../limits.ts";
import { bytesOf } from "./texts.ts";

/** How many changes a listener gets at once. */
const MAX_BATCH = 1000;

/** What all nodes of an engine share to reach each other. */
export interface Switchboard {
  readonly now: Clock;
  readonly maxMessageBytes: number;
  readonly log: ChangeLog;
  readonly nodes: Map<string, MemoryBus>;
}

/** A listener, and how far it has read the log. */
interface Tail {
  readonly listener: BusListener;
  position: number;
}

/** The bus of one node. Everything is delivered later than it is sent, as over a network. */
export class MemoryBus implements Bus {
  readonly #node: string;
  readonly #board: Switchboard;
  readonly #inbox: Inbox;
  readonly #tails = new Set<Tail>();
  /** Ends requests that this node waits for, and those that others wait for because of it. */
  readonly #waiting = new Set<(error: ClusterError) => void>();
  #isReading = false;
  #isOpen = true;

  constructor(node: string, board: Switchboard) {
    this.#node = node;
    this.#board = board;
    this.#inbox = new Inbox(board.now);
    board.nodes.set(node, this);
  }

  get isUp(): boolean {
    return this.#isOpen;
  }

  async request(node: string, message: BusMessage, { timeout }: { readonly timeout: number }): Promise<unknown> {
    const sent = this.#pack(message);
    const target = this.#board.nodes.get(node);
    if (target === undefined) throw nodeGone();
    const reply = await new Promise<string>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(fail);
        target.#waiting.delete(fail);
      };
      const fail = (error: ClusterError): void => {
        settle();
        reject(error);
      };
      const late = (): void => fail(new ClusterError("TIMEOUT", "Another node has not replied in time."));
      const timer = setTimeout(late, Math.min(timeout, LONGEST_TIMER));
      this.#waiting.add(fail);
      target.#waiting.add(fail);
      queueMicrotask(() => {
        if (!target.#isOpen) return;
        // A listener that fails has not replied.
        target.#receive(sent, this.#node).then(
          (text) => {
            settle();
            resolve(text);
          },
          () => {},
        );
      });
    });
    expectSize("A reply", bytesOf(reply), this.#board.maxMessageBytes);
    return JSON.parse(reply) as unknown;
  }

  async broadcast(message: BusMessage): Promise<void> {
    const sent = this.#pack(message);
    for (const [, target] of this.#board.nodes) {
      if (target === this) continue;
      queueMicrotask(() => {
        if (target.#isOpen) target.#receive(sent, this.#node).catch(() => {});
      });
    }
  }

  async announce(changes: readonly string[]): Promise<void> {
    this.#expectOpen();
    this.#board.log.append(changes);
    for (const [, node] of this.#board.nodes) node.#read();
  }

  async changesAfter(place: string, limit: number): Promise<ChangeBatch | "gap"> {
    this.#expectOpen();
    const { log } = this.#board;
    return log.after(log.positionOf(place), limit);
  }

  listen(listener: BusListener): () => void {
    const tail = { listener, position: this.#board.log.end };
    this.#tails.add(tail);
    this.#inbox.listeners.add(listener);
    const { log } = this.#board;
    queueMicrotask(() => {
      if (this.#tails.has(tail)) listener.changes({ changes: [], place: log.placeOf(tail.position) });
    });
    return () => {
      this.#tails.delete(tail);
      this.#inbox.listeners.delete(listener);
    };
  }

  /** Leaves the other nodes. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#board.nodes.delete(this.#node);
    this.#tails.clear();
    this.#inbox.listeners.clear();
    for (const fail of this.#waiting) fail(nodeGone());
  }

  /** Handles a message of a node, which comes as JSON text so that the two share no objects. */
  #receive({ id, kind, body }: BusMessage & { readonly body: string }, from: string): Promise<string> {
    return this.#inbox.receive({ id, kind, body: JSON.parse(body) as unknown }, from);
  }

  #pack({ id, kind, body }: BusMessage): BusMessage & { readonly body: string } {
    this.#expectOpen();
    const text = JSON.stringify(body ?? null);
    expectSize("A message", bytesOf(text), this.#board.maxMessageBytes);
    return { id: expectKey(id), kind: expectKey(kind), body: text };
  }

  #expectOpen(): void {
    if (!this.#isOpen) throw new ClusterError("UNAVAILABLE", "This node has left its cluster.");
  }

  /** Tells the listeners of changes, soon. */
  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    queueMicrotask(() => {
      this.#isReading = false;
      for (const tail of this.#tails) this.#readOn(tail);
    });
  }

  #readOn(tail: Tail): void {
    const { log } = this.#board;
    while (tail.position < log.end && this.#tails.has(tail)) {
      const batch = log.after(tail.position, MAX_BATCH);
      if (batch === "gap") {
        tail.position = log.end;
        tail.listener.missed(log.placeOf(log.end));
      } else {
        tail.position += batch.changes.length;
        tail.listener.changes(batch);
      }
    }
  }
}

function nodeGone(): ClusterError {
  return new ClusterError("NODE_GONE", "Another node has ended.");
}
