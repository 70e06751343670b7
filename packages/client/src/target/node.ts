import { decodeUtf8 } from "../transports/stdio/spawn-server.ts";
import { anyPlatform } from "./any-platform.ts";
import { command } from "./command.ts";
import type { Openers } from "./endpoint.ts";

/** The transports of Node: undici's connection pool for HTTP, which is faster than `fetch`, and programs that it starts. */
export const openers: Openers = {
  ...anyPlatform,
  async createHttpEngine(options) {
    if (options.fetch !== undefined) return anyPlatform.createHttpEngine(options);
    // Imported on demand: only clients that connect over HTTP load undici.
    const { createUndiciPort } = await import("../transports/http/node/undici-backend.ts");
    return { port: createUndiciPort(), decode: decodeUtf8 };
  },
  command,
};
