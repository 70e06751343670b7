import { UsageError } from "@toolwire/protocol";
import type { Openers } from "./endpoint.ts";
import { headersNow } from "./headers-now.ts";

/** The transports that browsers, workers and edge runtimes have, each loaded when it is first needed. */
export const openers: Openers = {
  async http(url, options) {
    const { createHttpTransport } = await import("../http/transport.ts");
    return createHttpTransport(url, options);
  },
  async ssePair(url, options) {
    const { createSsePairChannel } = await import("../http/legacy/sse-pair.ts");
    return createSsePairChannel(url, options);
  },
  async webSocket(url, { headers, maxMessageBytes }) {
    const { createWebSocketChannel } = await import("../websocket/create-channel.ts");
    return createWebSocketChannel(url, { headers: await headersNow(headers), maxMessageBytes });
  },
  async command({ command }) {
    throw new UsageError("UNSUPPORTED", `Only Node can start programs such as ${command}: connect by URL.`);
  },
};
