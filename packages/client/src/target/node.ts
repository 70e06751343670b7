import { anyPlatform } from "./any-platform.ts";
import { command } from "./command.ts";
import type { Openers } from "./endpoint.ts";

/** The transports of Node, Bun and Deno, which can start programs. */
export const openers: Openers = { ...anyPlatform, command };
