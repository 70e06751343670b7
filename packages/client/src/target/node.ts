import type { Openers } from "./endpoint.ts";
import { headersNow } from "./headers-now.ts";

/** The transports of Node, each loaded when it is first needed. */
export const openers: Openers = {
  async http(url, options) {
    if (options.fetch !== undefined) {
      const { createHttpTransport } = await import("../http/transport.ts");
      return createHttpTransport(url, options);
    }
    const { createNodeHttpTransport } = await import("../node/index.ts");
    return createNodeHttpTransport(url, options);
  },
  async ssePair(url, options) {
    const { createSsePairChannel } = await import("../http/legacy/sse-pair.ts");
    return createSsePairChannel(url, options);
  },
  async webSocket(url, { headers, maxMessageBytes }) {
    const { createWebSocketChannel } = await import("../websocket/create-channel.ts");
    return createWebSocketChannel(url, { headers: await headersNow(headers), maxMessageBytes });
  },
  async command(target) {
    const { spawnServer } = await import("../stdio/index.ts");
    return spawnServer(target);
  },
};
