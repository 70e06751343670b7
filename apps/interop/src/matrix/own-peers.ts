import type { Transport } from "../clients/task.ts";
import type { ClientPeer, ServerPeer } from "./cell.ts";

/** The transports of our server and client. */
export const ALL_TRANSPORTS: readonly Transport[] = ["stdio", "http", "sse", "websocket"];

/** Our own server. */
export const ourServer: ServerPeer = {
  title: "Toolwire",
  program: { file: "toolwire" },
  isOurs: true,
  script: "toolwire",
  transports: ALL_TRANSPORTS,
};

/** Our own client. */
export const ourClient: ClientPeer = {
  title: "Toolwire",
  program: { file: "toolwire" },
  isOurs: true,
  transports: ALL_TRANSPORTS,
};
