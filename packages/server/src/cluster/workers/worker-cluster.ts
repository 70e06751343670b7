import { isObject, LONGEST_TIMER } from "@toolwire/protocol/internal";
import type { Bus, BusListener, BusMessage } from "../bus.ts";
import { type Cluster, ClusterError, type ClusterErrorCode } from "../cluster.ts";
import { toFinite } from "./methods.ts";
import { Outbox, type Send } from "./outbox.ts";

/** How many milliseconds the engine may take to answer. It is a process of this machine, which does little else. */
const DEADLINE_MS = 2000;

const CODES: readonly string[] = ["UNAVAILABLE", "NODE_GONE", "TIMEOUT", "TOO_LARGE"] satisfies ClusterErrorCode[];

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A node whose engine is another process. */
export class WorkerCluster implements Cluster {
  readonly node: string;
  readonly sessions: Cluster["sessions"];
  readonly events: Cluster["events"];
  readonly limits: Cluster["limits"];
  readonly once: Cluster["once"];
  readonly keys: Cluster["keys"];
  readonly bus: Bus;
  readonly #outbox: Outbox;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<BusListener>();
  #lastId = 0;
  /** Where the log stands, as far as this process has read it. */
  #place: string | undefined;
  #isUp = true;
  #isOpen = true;

  constructor(node: string, send: Send) {
    this.node = node;
    this.#outbox = new Outbox(send);
    const call = async <T>(method: string, ...args: unknown[]): Promise<T> =>
      (await this.#call(method, args.map(toFinite), DEADLINE_MS)) as T;
    this.sessions = {
      create: (...args) => call("sessions.create", ...args),
      get: (...args) => call("sessions.get", ...args),
      touch: (...args) => call("sessions.touch", ...args),
      update: (...args) => call("sessions.update", ...args),
      claim: (...args) => call("sessions.claim", ...args),
      release: (...args) => call("sessions.release", ...args),
      end: (...args) => call("sessions.end", ...args),
    };
    this.events = {
      append: (...args) => call("events.append", ...args),
      read: (...args) => call("events.read", ...args),
      takeOver: (...args) => call("events.takeOver", ...args),
      forget: (...args) => call("events.forget", ...args),
    };
    this.limits = { take: (...args) => call("limits.take", ...args) };
    this.once = { claim: (...args) => call("once.claim", ...args) };
    this.keys = {
      list: () => call("keys.list"),
      add: (...args) => call("keys.add", ...args),
      remove: (...args) => call("keys.remove", ...args),
    };
    this.bus = this.#createBus();
  }

  /** Takes a message of the engine. Returns whether it was for this node. */
  receive(message: object): boolean {
    const {
      engine,
      id,
      from,
      value,
      failed,
      changes,
      place,
      message: sent,
    } = message as { readonly [name: string]: unknown };
    if (engine === "result" && typeof id === "number") {
      this.#settle(id, value, failed);
    } else if (engine === "message" && typeof id === "number" && typeof from === "string") {
      void this.#reply(id, sent, from);
    } else if (engine === "changes" && Array.isArray(changes) && typeof place === "string") {
      this.#place = place;
      const texts = changes.filter((change) => typeof change === "string");
      for (const listener of this.#listeners) listener.changes({ changes: texts, place });
    } else if (engine === "missed") {
      const at = typeof place === "string" && place !== "" ? place : undefined;
      this.#place = at;
      for (const listener of this.#listeners) listener.missed(at);
    } else {
      return false;
    }
    return true;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#listeners.clear();
    const leaving = this.#call("close", [], DEADLINE_MS);
    this.#isOpen = false;
    // An engine that does not answer knows that this process has ended once its channel is closed.
    await leaving.catch(() => {});
    this.#outbox.close();
    for (const pending of this.#pending.values()) pending.reject(unavailable("This node has left its cluster."));
  }

  #createBus(): Bus {
    const isUp = (): boolean => this.#isUp && this.#isOpen;
    return {
      get isUp() {
        return isUp();
      },
      request: (node, message, { timeout }) => {
        const bounded = Math.min(timeout, LONGEST_TIMER - DEADLINE_MS);
        return this.#call("bus.request", [node, message, { timeout: bounded }], bounded + DEADLINE_MS);
      },
      broadcast: async (message) => void (await this.#call("bus.broadcast", [message], DEADLINE_MS)),
      announce: async (changes) => void (await this.#call("bus.announce", [changes], DEADLINE_MS)),
      changesAfter: async (place, limit) =>
        (await this.#call("bus.changesAfter", [place, toFinite(limit)], DEADLINE_MS)) as Awaited<
          ReturnType<Bus["changesAfter"]>
        >,
      listen: (listener) => {
        this.#listeners.add(listener);
        queueMicrotask(() => {
          const place = this.#place;
          if (place !== undefined && this.#listeners.has(listener)) listener.changes({ changes: [], place });
        });
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  async #call(method: string, args: readonly unknown[], deadline: number): Promise<unknown> {
    if (!this.#isOpen) throw unavailable("This node has left its cluster.");
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
      };
      const timer = setTimeout(() => {
        settle();
        this.#setUp(false);
        reject(unavailable("The process that keeps what the workers share has not answered in time."));
      }, deadline);
      this.#pending.set(id, {
        resolve(value) {
          settle();
          resolve(value);
        },
        reject(error) {
          settle();
          reject(error);
        },
      });
      if (this.#outbox.post({ engine: "call", id, method, args })) return;
      settle();
      reject(unavailable("Too much waits for the process that keeps what the workers share."));
    });
  }

  #settle(id: number, value: unknown, failed: unknown): void {
    this.#setUp(true);
    const pending = this.#pending.get(id);
    if (pending === undefined) return; // It was too late.
    if (failed === undefined) return pending.resolve(value);
    const { code, message } = isObject(failed) ? failed : {};
    pending.reject(isCode(code) ? new ClusterError(code, String(message)) : new TypeError(String(message)));
  }

  async #reply(id: number, sent: unknown, from: string): Promise<void> {
    const message = readBusMessage(sent);
    if (message === undefined) return;
    let reply: unknown;
    for (const listener of this.#listeners) {
      const own = listener.message(message, from);
      reply ??= own;
    }
    this.#outbox.post({ engine: "reply", id, reply: (await reply) ?? null });
  }

  #setUp(isUp: boolean): void {
    if (this.#isUp === isUp) return;
    this.#isUp = isUp;
    for (const listener of this.#listeners) listener.stateChanged?.(isUp);
  }
}

/** Reads a message between nodes, as it came from another process. */
function readBusMessage(value: unknown): BusMessage | undefined {
  if (!isObject(value)) return undefined;
  const { id, kind, body } = value;
  return typeof id === "string" && typeof kind === "string" ? { id, kind, body } : undefined;
}

function isCode(code: unknown): code is ClusterErrorCode {
  return typeof code === "string" && CODES.includes(code);
}

function unavailable(message: string): ClusterError {
  return new ClusterError("UNAVAILABLE", message);
}
