/**
 * Serving over HTTP with web standards alone: `Request` in, `Response` out.
 *
 * @packageDocumentation
 */
export { createHttpHandler, type HttpHandler } from "./create-http-handler.ts";
export {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStoreOptions,
  type StoredEvent,
} from "./legacy/event-store.ts";
export type { HttpOptions, LegacySseOptions, RequestHead, SessionOptions } from "./options.ts";
