/** The public API that the legacy era adds to `@toolwire/server/http`. */
export type { EventStore, StoredEvent } from "./event-store.ts";
export { createMemoryEventStore, type MemoryEventStoreOptions } from "./memory-event-store.ts";
export type { LegacyHttpOptions, SealedSessionOptions, SessionOptions, SsePaths } from "./options.ts";
