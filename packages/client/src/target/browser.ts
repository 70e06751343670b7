import { UsageError } from "@toolwire/protocol";
import { anyPlatform } from "./any-platform.ts";
import type { Openers } from "./endpoint.ts";

/** The transports of browsers, workers and edge runtimes, which cannot start programs. */
export const openers: Openers = {
  ...anyPlatform,
  command: ({ command }) => ({
    reopens: false,
    async open() {
      throw new UsageError("UNSUPPORTED", `Only Node can start programs such as ${command}: connect by URL.`);
    },
  }),
};
