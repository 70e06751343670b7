import type { BusMessage, ChangeBatch } from "../bus.ts";
import { type Cluster, ClusterError } from "../cluster.ts";
import { callEngine } from "./methods.ts";
import { Outbox, type Send } from "./outbox.ts";

/** How many messages a worker may owe a reply to. */
const MAX_OWED = 10_000;

/** The end of the engine of a channel to one worker: carries out the calls of the worker, and passes on what its node hears. */
export class EngineEnd {
  /** The node of the worker. */
  readonly node: Cluster;
  readonly #outbox: Outbox;
  readonly #owed = new Map<number, (reply: unknown) => void>();
  #lastId = 0;
  /** The place of changes that the worker could not be told. */
  #missed: string | undefined;
  readonly #stop: () => void;

  constructor(node: Cluster, send: Send) {
    this.node = node;
    this.#outbox = new Outbox(send);
    this.#stop = node.bus.listen({
      message: (message, from) => this.#ask(message, from),
      changes: (batch) => this.#tell(batch),
      missed: (place) => this.#tellMissed(place),
    });
  }

  /** Takes a message of the worker. Returns whether it was for this end. */
  receive(message: object): boolean {
    const { engine, id, method, args, reply } = message as { readonly [name: string]: unknown };
    if (engine === "call" && typeof id === "number" && typeof method === "string" && Array.isArray(args)) {
      void this.#call(id, method, args);
      return true;
    }
    if (engine === "reply" && typeof id === "number") {
      this.#owed.get(id)?.(reply);
      return true;
    }
    return false;
  }

  /** The worker has ended. */
  async close(): Promise<void> {
    this.#stop();
    this.#outbox.close();
    this.#owed.clear();
    await this.node.close();
  }

  async #call(id: number, method: string, args: readonly unknown[]): Promise<void> {
    let outcome: object;
    try {
      outcome = { value: await callEngine(this.node, method, args) };
    } catch (error) {
      // Errors of another kind are mistakes of the program.
      const code = error instanceof ClusterError ? error.code : undefined;
      outcome = { failed: { code, message: error instanceof Error ? error.message : String(error) } };
    }
    this.#outbox.post({ engine: "result", id, ...outcome });
  }

  /** Passes a message on to the worker. Without its reply, whoever sent it waits until its time is over. */
  #ask({ id: messageId, kind, body }: BusMessage, from: string): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const settle = (reply: unknown): void => {
        this.#owed.delete(id);
        resolve(reply);
      };
      if (!this.#outbox.post({ engine: "message", id, from, message: { id: messageId, kind, body } })) return;
      this.#owed.set(id, settle);
      const [oldest] = this.#owed.keys();
      if (this.#owed.size > MAX_OWED && oldest !== undefined) this.#owed.delete(oldest);
    });
  }

  #tell({ changes, place }: ChangeBatch): void {
    if (this.#missed !== undefined) return this.#tellMissed(place);
    if (!this.#outbox.post({ engine: "changes", changes, place })) this.#missed = place;
  }

  /** Tells a worker that reads again that it has missed changes. */
  #tellMissed(place: string | undefined): void {
    this.#missed = this.#outbox.post({ engine: "missed", place }) ? undefined : (place ?? "");
  }
}
