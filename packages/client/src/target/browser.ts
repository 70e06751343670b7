import { UsageError } from "@toolwire/protocol";
import { anyPlatform } from "./any-platform.ts";
import type { Openers } from "./endpoint.ts";

/** The transports of browsers, workers and edge runtimes. */
export const openers: Openers = {
  ...anyPlatform,
  async command({ command }) {
    throw new UsageError("UNSUPPORTED", `Only Node can start programs such as ${command}: connect by URL.`);
  },
};
