import { expectBytes, expectMilliseconds } from "@toolwire/protocol/internal";
import { expectHeaders } from "../../check-options.ts";
import { type GivenHeaders, type HeadersNow, readHeaders } from "../http/headers.ts";
import { type Channel } from "@toolwire/protocol";
import { createSocketChannel } from "@toolwire/protocol/channels";
import { openSocket } from "#open-socket";
import { readServerUrl } from "../../server-url.ts";
import { untilAborted } from "../../waiting.ts";

/** How to open a WebSocket to a server, and limits. */
export interface WebSocketOptions {
  /**
   * Headers of the request that opens the connection, such as `Authorization`: fixed, or a function. Browsers cannot
   * send any.
   */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** How many milliseconds opening may take, once the headers are known. Default 30 000. */
  readonly openTimeout?: number | undefined;
  /**
   * How often the server is pinged, in milliseconds. If it stays silent, the connection is closed. Default 30 000.
   * Browsers cannot ping; there, the server's own pings keep the connection alive.
   */
  readonly keepAliveInterval?: number | undefined;
  /** The largest message to accept from the server, in bytes. A larger one ends the connection. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many bytes may wait for a server that does not read. Beyond that, the connection ends. Default 256 MiB. */
  readonly maxQueuedBytes?: number | undefined;
}

/** The options with all defaults filled in, and the header fields at the time of opening. */
export interface WebSocketSettings {
  readonly headers: HeadersNow;
  readonly openTimeout: number;
  readonly keepAliveInterval: number;
  readonly maxMessageBytes: number;
  readonly maxQueuedBytes: number;
}

/** Fills in the defaults. Throws a `UsageError` for values that make no sense. */
export function resolveSettings(options: WebSocketOptions): Omit<WebSocketSettings, "headers"> {
  return {
    openTimeout: expectMilliseconds("openTimeout", options.openTimeout, 30_000),
    keepAliveInterval: expectMilliseconds("keepAliveInterval", options.keepAliveInterval, 30_000, 1),
    maxMessageBytes: expectBytes("maxMessageBytes", options.maxMessageBytes, 64 * 1024 * 1024),
    maxQueuedBytes: expectBytes("maxQueuedBytes", options.maxQueuedBytes, 256 * 1024 * 1024),
  };
}

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

/** Reads the header fields once: there is only one request. */
async function headersNow(given: WebSocketOptions["headers"]): Promise<HeadersNow> {
  const now = typeof given === "function" ? await given() : given;
  return readHeaders(expectHeaders(now) ?? {});
}
