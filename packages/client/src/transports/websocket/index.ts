/**
 * The client's half of the WebSocket binding, for Node and browsers.
 *
 * @packageDocumentation
 */
export type { AuthFields, AuthRefusal, AuthRequest, AuthServer, ClientAuth } from "../client-auth.ts";
export type { GivenHeaders, HeadersNow } from "../http/headers.ts";
export type { ConnectionTarget, HttpConnector } from "../http/options.ts";
export { createWebSocketChannel } from "./create-channel.ts";
export type { WebSocketOptions } from "./create-channel.ts";
