import { refuse } from "../check-options.ts";
import { createSsePairChannel } from "../legacy/http/sse-pair.ts";
import { createHttpTransport } from "../transports/http/transport.ts";
import { createWebSocketChannel } from "../transports/websocket/create-channel.ts";
import type { Openers } from "./endpoint.ts";

/** The transports that exist on every platform. */
export const anyPlatform: Pick<Openers, "http" | "ssePair" | "webSocket"> = {
  async http(url, options) {
    return createHttpTransport(url, options);
  },
  async ssePair(url, options) {
    return createSsePairChannel(url, options);
  },
  async webSocket(url, options) {
    await refuse(options, "fetch");
    const { headers, maxMessageBytes } = options;
    return createWebSocketChannel(url, { headers, maxMessageBytes });
  },
};
