import { createHttpTransport } from "../transports/http/transport.ts";
import { anyPlatform } from "./any-platform.ts";
import { command } from "./command.ts";
import type { Openers } from "./endpoint.ts";

/**
 * The transports of Bun: it starts programs as Node does, but puts a stand-in of its own in the place of undici, which has
 * no connection pools. Its `fetch` is fast by itself.
 */
export const openers: Openers = {
  ...anyPlatform,
  async http(url, options) {
    return createHttpTransport(url, options);
  },
  command,
};
