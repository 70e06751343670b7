import { complain } from "../check-options.ts";
import { anyPlatform } from "./any-platform.ts";
import type { Openers } from "./endpoint.ts";

/** The transports of browsers, workers and edge runtimes, which cannot start programs. */
export const openers: Openers = {
  ...anyPlatform,
  command: ({ command }) => ({ reopens: false, open: () => complain("command", command) }),
};
