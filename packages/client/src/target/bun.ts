import { anyPlatform } from "./any-platform.ts";
import { command } from "./command.ts";
import type { Openers } from "./endpoint.ts";

/**
 * The transports of Bun. It starts programs as Node does, but replaces undici by a substitute without connection pools. Its
 * own `fetch` is fast.
 */
export const openers: Openers = { ...anyPlatform, command };
