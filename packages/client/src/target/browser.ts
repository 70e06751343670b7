import { complain } from "../check-options.ts";
import { createHttpTransport } from "../transports/http/transport.ts";
import { anyPlatform } from "./any-platform.ts";
import type { Openers } from "./endpoint.ts";

/**
 * The transports of browsers, workers and edge runtimes. Nearly every page connects over HTTP, so that comes along: to
 * load it later would cost each of them one more trip before the first message.
 */
export const openers: Openers = {
  ...anyPlatform,
  async http(url, options) {
    return createHttpTransport(url, options);
  },
  command: ({ command }) => ({ reopens: false, open: () => complain("command", command) }),
};
