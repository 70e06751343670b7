/**
 * Serving over HTTP straight on `node:http`: a server of its own, or a handler for one that exists.
 *
 * @packageDocumentation
 */
export { createNodeHandler, type NodeHandler } from "./create-node-handler.ts";
export { serveHttp, type HttpListener, type ServeHttpOptions } from "./serve-http.ts";
export type { EventStore, StoredEvent } from "../../../legacy/http/event-store.ts";
export { createMemoryEventStore, type MemoryEventStoreOptions } from "../../../legacy/http/memory-event-store.ts";
export type { HttpOptions, LegacySseOptions, SessionOptions } from "../options.ts";
export type { AdmissionOptions, RequestHead } from "../../admission/options.ts";
