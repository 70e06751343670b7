/**
 * The contract between servers and the engines in which several of them meet, and an engine in memory.
 *
 * @packageDocumentation
 */
export type { Bus, BusListener, BusMessage, ChangeBatch } from "./bus.ts";
export { type Cluster, ClusterError, type ClusterErrorCode, createNodeName } from "./cluster.ts";
export type { EventLog, LoggedEvent, LoggedEvents } from "./events.ts";
export { Inbox } from "./inbox.ts";
export { ENGINE_LIMITS, type EngineLimits, expectKey, expectSize } from "./limits.ts";
export { createMemoryEngine, type MemoryEngine, type MemoryEngineOptions } from "./memory/engine.ts";
export type { NewSession, SessionChange, SessionRecord, SessionRoom, SessionStore, StreamHolder } from "./sessions.ts";
export type { KeyStore, OnceStore, RateLimitStore, StoredKey } from "./stores.ts";
