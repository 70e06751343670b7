import { UsageError, type Channel } from "@toolwire/protocol";
import { createSocketChannel } from "@toolwire/protocol/channels";
import { openSocket } from "#open-socket";
import { areHeaders, readHeaders, type HeadersNow } from "../http/given-headers.ts";
import { readServerUrl } from "../target/server-url.ts";
import { untilAborted } from "../waiting.ts";
import { resolveSettings, type WebSocketOptions } from "./options.ts";

/**
 * Makes a channel to a server at a `ws:` or `wss:` URL. Opening the channel opens the connection. A channel can be
 * opened only once: to connect again, call this again. It uses the `ws` library in Node and the platform's own
 * `WebSocket` everywhere else.
 */
export function createWebSocketChannel(url: string | URL, options: WebSocketOptions = {}): Channel {
  const target = readServerUrl(url, ["ws:", "wss:"]);
  const settings = resolveSettings(options);
  return createSocketChannel(
    async (events, signal) => {
      const headers = await untilAborted(headersNow(options.headers), signal);
      return openSocket(target, events, { ...settings, headers }, signal);
    },
    { ...settings, side: "client" },
  );
}

/** The header fields of this moment: there is one request, so they are asked for once. */
async function headersNow(given: WebSocketOptions["headers"]): Promise<HeadersNow> {
  const now = typeof given === "function" ? await given() : given;
  if (areHeaders(now)) return readHeaders(now ?? {});
  throw new UsageError("INVALID_ARGUMENT", "`headers` must be an object, or a function that returns one.");
}
