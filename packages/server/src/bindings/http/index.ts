/**
 * Serving over HTTP with web standards alone: `Request` in, `Response` out.
 *
 * @packageDocumentation
 */
export { createHttpHandler, type HttpHandler } from "./web/create-http-handler.ts";
export type { EventStore, StoredEvent } from "../../legacy/http/event-store.ts";
export { createMemoryEventStore, type MemoryEventStoreOptions } from "../../legacy/http/memory-event-store.ts";
export type { HttpOptions, LegacySseOptions, SessionOptions } from "./options.ts";
export type { AdmissionOptions, RequestHead } from "../admission/options.ts";
