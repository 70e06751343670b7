/**
 * The client's half of the WebSocket binding, for Node and browsers.
 *
 * @packageDocumentation
 */
export type { GivenHeaders, HeadersNow } from "../http/headers.ts";
export { createWebSocketChannel } from "./create-channel.ts";
export type { WebSocketOptions } from "./create-channel.ts";
