import {
  type BusListener,
  type BusMessage,
  type ChangeBatch,
  type Cluster,
  ClusterError,
  createMemoryEngine,
  createNodeName,
  type MemoryEngineOptions,
} from "../../src/cluster/index.ts";

/** What goes wrong, and how often: chances are from 0 to 1. Everything follows from the seed. */
export interface Faults {
  readonly seed: number;
  /** For how many turns of the event loop anything may be under way. What is under way at the same time changes its order. */
  readonly delay?: number;
  /** Messages between nodes that never arrive, and replies that do not. */
  readonly loss?: number;
  /** Messages and changes that arrive twice. */
  readonly duplication?: number;
  /** Calls of the engine that fail: half of them are carried out nevertheless. */
  readonly failures?: number;
  /** Calls of the engine that are carried out twice, because a client sends them again after their reply was lost. */
  readonly repeats?: number;
}

/** An engine in memory, behind a network that is not reliable. */
export interface FaultyEngine {
  connect(): Cluster;
  /** Cuts off a node, or all: every call is refused, and nothing arrives. */
  cut(node?: Cluster): void;
  /** Ends that. Changes that a node has not heard meanwhile arrive now. */
  mend(node?: Cluster): void;
  /** Replaces the engine by one that has nothing of what was kept. Nodes stay what they are. */
  restartEmpty(): void;
  /** Ends all faults but cuts: what is under way arrives. */
  calm(): void;
}

export function createFaultyEngine(faults: Faults, options: MemoryEngineOptions = {}): FaultyEngine {
  const network = new Network(faults);
  const nodes = new Map<string, FaultyNode>();
  let engine = createMemoryEngine(options);
  const affected = (node: Cluster | undefined): FaultyNode[] =>
    [...nodes.values()].filter(({ name }) => node === undefined || node.node === name);
  return {
    connect() {
      const name = createNodeName();
      const node = new FaultyNode(name, engine.connect(name), network);
      nodes.set(name, node);
      return node.cluster;
    },
    cut(node) {
      for (const each of affected(node)) each.setUp(false);
    },
    mend(node) {
      for (const each of affected(node)) each.setUp(true);
    },
    restartEmpty() {
      engine = createMemoryEngine(options);
      for (const each of nodes.values()) each.reconnect(engine.connect(each.name));
    },
    calm() {
      network.isCalm = true;
    },
  };
}

/** Decides what goes wrong. */
class Network {
  isCalm = false;
  readonly #faults: Faults;
  #state: number;

  constructor(faults: Faults) {
    this.#faults = faults;
    this.#state = faults.seed;
  }

  happens(fault: Exclude<keyof Faults, "seed" | "delay">): boolean {
    return !this.isCalm && this.#next() < (this.#faults[fault] ?? 0);
  }

  /** Lets some turns of the event loop pass. */
  async pass(): Promise<void> {
    const turns = this.isCalm ? 0 : Math.floor(this.#next() * ((this.#faults.delay ?? 0) + 1));
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => void setImmediate(resolve));
  }

  /** A number from 0 to 1: the generator mulberry32 of Tommy Ettinger. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** A node, as a server sees it. */
class FaultyNode {
  readonly name: string;
  readonly cluster: Cluster;
  #inner: Cluster;
  readonly #network: Network;
  readonly #listeners = new Map<FaultyListener, () => void>();
  #isUp = true;
  #isClosed = false;

  constructor(name: string, inner: Cluster, network: Network) {
    this.name = name;
    this.#inner = inner;
    this.#network = network;
    this.#hearMessages();
    this.cluster = {
      node: name,
      sessions: this.#store("sessions"),
      events: this.#store("events"),
      limits: this.#store("limits"),
      once: this.#store("once"),
      keys: this.#store("keys"),
      bus: this.#createBus(),
      close: async () => {
        this.#isClosed = true;
        for (const listener of this.#listeners.keys()) this.#forget(listener);
        await this.#inner.close();
      },
    };
  }

  setUp(isUp: boolean): void {
    if (this.#isUp === isUp || this.#isClosed) return;
    this.#isUp = isUp;
    for (const listener of this.#listeners.keys()) listener.setUp(isUp);
  }

  reconnect(inner: Cluster): void {
    if (this.#isClosed) return void inner.close();
    void this.#inner.close();
    this.#inner = inner;
    this.#hearMessages();
    for (const listener of this.#listeners.keys()) {
      this.#listeners.set(listener, inner.bus.listen(listener));
      listener.missed(undefined);
    }
  }

  /** A store whose calls may fail, or be carried out twice. */
  #store<Name extends "sessions" | "events" | "limits" | "once" | "keys">(name: Name): Cluster[Name] {
    return new Proxy(this.#inner[name], {
      get:
        (_target, method) =>
        (...given: unknown[]) =>
          this.#call(() =>
            (Reflect.get(this.#inner[name], method) as (...all: unknown[]) => Promise<unknown>).apply(
              this.#inner[name],
              given,
            ),
          ),
    });
  }

  async #call<T>(act: () => Promise<T>): Promise<T> {
    await this.#network.pass();
    this.#expectUp();
    const fails = this.#network.happens("failures");
    if (fails && this.#network.happens("failures")) throw unavailable();
    if (this.#network.happens("repeats")) await act();
    const result = await act();
    await this.#network.pass();
    this.#expectUp();
    if (fails) throw unavailable();
    return result;
  }

  #createBus(): Cluster["bus"] {
    const isUp = (): boolean => this.#isUp && !this.#isClosed;
    return {
      get isUp() {
        return isUp();
      },
      request: async (node, message, { timeout }) => {
        await this.#network.pass();
        this.#expectUp();
        const deadline = performance.now() + timeout;
        const send = () => this.#inner.bus.request(node, message, { timeout: deadline - performance.now() });
        if (this.#network.happens("loss")) throw tooLate();
        if (this.#network.happens("duplication")) send().catch(() => {});
        const reply = await send();
        await this.#network.pass();
        this.#expectUp();
        if (this.#network.happens("loss")) throw tooLate();
        return reply;
      },
      broadcast: async (message) => {
        this.#expectUp();
        if (this.#network.happens("loss")) return;
        void this.#broadcastLate(message);
        if (this.#network.happens("duplication")) await this.#inner.bus.broadcast(message);
      },
      announce: (changes) => this.#call(() => this.#inner.bus.announce(changes)),
      changesAfter: (place, limit) => this.#call(() => this.#inner.bus.changesAfter(place, limit)),
      listen: (listener) => {
        const faulty = new FaultyListener(listener, this.#network, this.#isUp);
        this.#listeners.set(faulty, this.#inner.bus.listen(faulty));
        return () => this.#forget(faulty);
      },
    };
  }

  async #broadcastLate(message: BusMessage): Promise<void> {
    await this.#network.pass();
    if (this.#isUp && !this.#isClosed) await this.#inner.bus.broadcast(message).catch(() => {});
  }

  /** Takes messages late, and in any order. One that does not arrive has no reply. */
  #hearMessages(): void {
    this.#inner.bus.listen({
      message: async (...given) => {
        await this.#network.pass();
        if (!this.#isUp || this.#isClosed) return new Promise(() => {});
        const replies = [...this.#listeners.keys()].map(({ listener }) => listener.message(...given));
        return replies.find((reply) => reply !== undefined);
      },
      changes() {},
      missed() {},
    });
  }

  #forget(listener: FaultyListener): void {
    listener.end();
    this.#listeners.get(listener)?.();
    this.#listeners.delete(listener);
  }

  #expectUp(): void {
    if (!this.#isUp || this.#isClosed) throw unavailable();
  }
}

/** Hears changes late and in their order. While it is cut off, it hears nothing. */
class FaultyListener implements BusListener {
  readonly listener: BusListener;
  readonly #network: Network;
  #isUp: boolean;
  /** What happens in order. */
  #queue: (() => void)[] = [];
  #isDelivering = false;

  constructor(listener: BusListener, network: Network, isUp: boolean) {
    this.listener = listener;
    this.#network = network;
    this.#isUp = isUp;
  }

  message(): undefined {}

  changes(batch: ChangeBatch): void {
    this.#inOrder(() => this.listener.changes(batch));
    if (this.#network.happens("duplication")) this.#inOrder(() => this.listener.changes(batch));
  }

  missed(place: string | undefined): void {
    this.#inOrder(() => this.listener.missed(place));
  }

  setUp(isUp: boolean): void {
    this.#isUp = isUp;
    this.listener.stateChanged?.(isUp);
    if (isUp) void this.#deliver();
  }

  end(): void {
    this.#queue = [];
  }

  #inOrder(act: () => void): void {
    this.#queue.push(act);
    void this.#deliver();
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    while (this.#isUp && this.#queue.length > 0) {
      await this.#network.pass();
      if (this.#isUp) this.#queue.shift()?.();
    }
    this.#isDelivering = false;
  }
}

function unavailable(): ClusterError {
  return new ClusterError("UNAVAILABLE", "The engine cannot be reached.");
}

function tooLate(): ClusterError {
  return new ClusterError("TIMEOUT", "Another node has not replied in time.");
}
