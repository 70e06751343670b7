/**
 * The server's half of the WebSocket binding.
 *
 * @packageDocumentation
 */
export type { Admission, ResourceMetadata, ServerAuth } from "../admission/auth.ts";
export type { AdmissionOptions, RequestHead } from "../admission/options.ts";
export type { Refusal } from "../admission/refusals.ts";
export type { ServeWebSocketOptions, WebSocketAttachment, WebSocketOptions, WebSocketPort } from "./serve-websocket.ts";
export { serveWebSocket, type WebSocketListener } from "./serve-websocket.ts";
