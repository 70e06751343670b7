/**
 * A server and its client in one process, for tests and for programs that embed a server.
 *
 * @packageDocumentation
 */
import { createMemoryChannels, encodeMessage, type Channel } from "@toolwire/protocol";
import { expectOption, isObject } from "@toolwire/protocol/internal";
import { serveChannel, type ServeChannelOptions } from "./bindings/channel/index.ts";
import type { Server } from "./define/server.ts";

export type { ServeChannelOptions } from "./bindings/channel/index.ts";

/**
 * Serves a server in this process, and returns the client's end of the connection. Every message is written as JSON and
 * read again, so that a test finds what would not survive a network. The server stops serving when the client closes. The client
 * has every scope, unless you name a `principal`, whose `scopes` then count.
 *
 * @example
 * ```ts
 * await using client = await connect<typeof server>(serveInMemory(server));
 * ```
 */
export function serveInMemory(server: Server, options: ServeChannelOptions = {}): Channel {
  const [near, far] = createMemoryChannels();
  const { isLocal = true } = expectOption("options", options, isObject(options), "an object");
  serveChannel(server, serializing(far), { ...options, isLocal });
  return serializing(near);
}

/** Makes a channel send copies that have been JSON. Values that JSON cannot hold make `send` throw. */
function serializing(channel: Channel): Channel {
  return {
    open: (receiver) => channel.open(receiver),
    send: (message) => channel.send(JSON.parse(encodeMessage(message)) as typeof message),
    close: () => channel.close(),
  };
}
