import { refuseOptions } from "../check-options.ts";
import { createFetchPort } from "../transports/http/fetch-backend.ts";
import type { Openers } from "./endpoint.ts";

/** The transports that are the same on every platform. */
export const anyPlatform: Pick<Openers, "createHttpEngine" | "webSocket"> = {
  createHttpEngine: ({ fetch }) => ({ port: createFetchPort(fetch) }),
  async webSocket(url, options) {
    refuseOptions(options, "fetch");
    const { headers, maxMessageBytes } = options;
    // Imported on demand: in Node, only clients that connect to a WebSocket load the `ws` library.
    const { createWebSocketChannel } = await import("../transports/websocket/create-channel.ts");
    return createWebSocketChannel(url, { headers, maxMessageBytes });
  },
};
