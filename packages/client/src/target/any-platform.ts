import { refuse } from "../check-options.ts";
import type { Openers } from "./endpoint.ts";

/** The transports that are the same on every platform, each loaded when it is first needed. */
export const anyPlatform: Pick<Openers, "ssePair" | "webSocket"> = {
  async ssePair(url, options) {
    const { createSsePairChannel } = await import("../parts/legacy.ts");
    return createSsePairChannel(url, options);
  },
  async webSocket(url, options) {
    await refuse(options, "fetch");
    const { headers, maxMessageBytes } = options;
    const { createWebSocketChannel } = await import("../transports/websocket/create-channel.ts");
    return createWebSocketChannel(url, { headers, maxMessageBytes });
  },
};
