/**
 * Serving over HTTP with web standards alone: `Request` in, `Response` out.
 *
 * @packageDocumentation
 */
export { createHttpHandler, type HttpHandler } from "./create-http-handler.ts";
export type { EventStore, StoredEvent } from "./legacy/event-store.ts";
export { createMemoryEventStore, type MemoryEventStoreOptions } from "./legacy/memory-event-store.ts";
export type { HttpOptions, LegacySseOptions, SessionOptions } from "./options.ts";
export type { AdmissionOptions, RequestHead } from "../serving/admission-options.ts";
