/**
 * The server's half of the WebSocket binding.
 *
 * @packageDocumentation
 */
export type { AdmissionOptions, RequestHead } from "../serving/admission-options.ts";
export type { ServeWebSocketOptions, WebSocketAttachment, WebSocketOptions, WebSocketPort } from "./options.ts";
export { serveWebSocket, type WebSocketServing } from "./serve-websocket.ts";
