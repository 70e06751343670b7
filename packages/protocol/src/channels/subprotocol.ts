/** The WebSocket subprotocol that both sides of the binding name. */
export const SUBPROTOCOL = "mcp";
