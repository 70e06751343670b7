import { expectFunction, expectLimit, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { type Cluster, createNodeName } from "../cluster.ts";
import { MemoryBus, type Switchboard } from "./bus.ts";
import { ChangeLog } from "./change-log.ts";
import { MemoryEvents } from "./events.ts";
import type { Clock } from "./expiring-map.ts";
import { MemorySessions } from "./sessions.ts";
import { MemoryKeys, MemoryLimits, MemoryOnce } from "./stores.ts";

/** The options of {@link createMemoryEngine}: how much it may keep. */
export interface MemoryEngineOptions {
  /** How many sessions there may be, whatever the servers allow. Default 100 000. */
  readonly maxSessions?: number | undefined;
  /** How many bytes of events are kept for clients that come back. Default 64 MiB. */
  readonly maxLogBytes?: number | undefined;
  /** How many keys each of the stores keeps that count requests and let keys pass once. Default 100 000. */
  readonly maxKeys?: number | undefined;
  /** The largest message between nodes, in bytes. Default 5 MiB, somewhat more than a request may have by default. */
  readonly maxMessageBytes?: number | undefined;
  /** A clock that returns milliseconds, for tests. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

const MEMORY_ENGINE_OPTIONS: OptionNames<MemoryEngineOptions> = {
  maxSessions: true,
  maxLogBytes: true,
  maxKeys: true,
  maxMessageBytes: true,
  now: true,
};

/** The engine that {@link createMemoryEngine} makes. */
export interface MemoryEngine {
  /** Adds a node. Its name is made at random, unless a test gives one. */
  connect(node?: string): Cluster;
}

/**
 * Makes an engine in the memory of this process. It lets several bindings of one process share their sessions, and tests try out what
 * servers on several machines do. What it keeps ends with the process: it survives the end of nodes, not its own.
 *
 * @example
 * ```ts
 * const engine = createMemoryEngine();
 * await serveHttp(server, { port: 3001, cluster: engine.connect() });
 * await serveHttp(server, { port: 3002, cluster: engine.connect() });
 * ```
 */
export function createMemoryEngine(options: MemoryEngineOptions = {}): MemoryEngine {
  expectOptions("createMemoryEngine", options, MEMORY_ENGINE_OPTIONS);
  const now: Clock = expectFunction("now", options.now ?? (() => performance.now()));
  const maxKeys = expectLimit("maxKeys", options.maxKeys, 100_000);
  const events = new MemoryEvents(now, expectLimit("maxLogBytes", options.maxLogBytes, 64 * 1024 * 1024));
  const maxSessions = expectLimit("maxSessions", options.maxSessions, 100_000);
  const stores = {
    sessions: new MemorySessions(now, maxSessions, (id) => events.forgetSession(id)),
    events,
    limits: new MemoryLimits(now, maxKeys),
    once: new MemoryOnce(now, maxKeys),
    keys: new MemoryKeys(now),
  };
  const maxMessageBytes = expectLimit("maxMessageBytes", options.maxMessageBytes, 5 * 1024 * 1024);
  const board: Switchboard = { now, maxMessageBytes, log: new ChangeLog(), nodes: new Map() };
  return {
    connect(node = createNodeName()) {
      const bus = new MemoryBus(node, board);
      return { node, ...stores, bus, close: async () => bus.close() };
    },
  };
}
