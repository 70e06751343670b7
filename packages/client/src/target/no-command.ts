import { UsageError } from "@toolwire/protocol";
import type { CommandEndpoint } from "./endpoint.ts";

/** Refuses programs: browsers, workers and edge runtimes cannot start any. */
export const commandEndpoint: CommandEndpoint = ({ command }) => ({
  reopens: false,
  async open() {
    throw new UsageError("UNSUPPORTED", `Only Node can start programs such as ${command}: connect by URL.`);
  },
});
