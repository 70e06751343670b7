import { anyPlatform } from "./any-platform.ts";
import { command } from "./command.ts";
import type { Openers } from "./endpoint.ts";

/** The transports of Node: a faster and more patient one for HTTP, and programs that it starts. */
export const openers: Openers = {
  ...anyPlatform,
  async http(url, options) {
    if (options.fetch !== undefined) {
      const { createHttpTransport } = await import("../transports/http/transport.ts");
      return createHttpTransport(url, options);
    }
    const { createNodeHttpTransport } = await import("../transports/http/node/index.ts");
    return createNodeHttpTransport(url, options);
  },
  async ssePair(url, options) {
    if (options.fetch !== undefined) return anyPlatform.ssePair(url, options);
    const { createNodeSsePairChannel } = await import("../transports/http/node/index.ts");
    return createNodeSsePairChannel(url, options);
  },
  command,
};
