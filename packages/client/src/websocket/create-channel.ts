import type { Channel } from "@toolwire/protocol";
import { createSocketChannel } from "@toolwire/protocol/channels";
import { openSocket } from "#open-socket";
import { readServerUrl } from "../target/server-url.ts";
import { resolveSettings, type WebSocketOptions } from "./options.ts";

/**
 * Makes the channel to a server at a `ws:` or `wss:` URL. The connection is opened when the channel is, and a channel is
 * opened once: to connect again, call this again. Uses the `ws` library in Node and the platform's own `WebSocket`
 * everywhere else.
 */
export function createWebSocketChannel(url: string | URL, options: WebSocketOptions = {}): Channel {
  const target = readServerUrl(url, ["ws:", "wss:"]);
  const settings = resolveSettings(options);
  return createSocketChannel((events, signal) => openSocket(target, events, settings, signal), {
    side: "client",
    maxQueuedBytes: settings.maxQueuedBytes,
  });
}
