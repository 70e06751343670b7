import { resolveLimit, resolveMilliseconds } from "@toolwire/protocol/channels";
import type { GivenHeaders, HeadersNow } from "../http/given-headers.ts";

/** How a WebSocket to a server is opened and kept. */
export interface WebSocketOptions {
  /**
   * Header fields of the request that opens the connection, such as `Authorization`: fixed, or asked for then. Browsers
   * cannot send any.
   */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** How long opening may take, in milliseconds, once the header fields are there. Default 30 000. */
  readonly openTimeout?: number | undefined;
  /**
   * How often the server is asked for a sign of life, in milliseconds; without one the connection is given up. Default
   * 30 000. Browsers cannot ask; there, the server's own pings keep the connection alive.
   */
  readonly keepAliveInterval?: number | undefined;
  /** The largest message accepted from the server, in bytes; a larger one ends the connection. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many bytes may wait for a server that does not read; beyond it the connection ends. Default 256 MiB. */
  readonly maxQueuedBytes?: number | undefined;
}

/** The subprotocol that both sides of this binding name. */
export const SUBPROTOCOL = "mcp";

/** The options with all defaults filled in, and the header fields as they are when the connection is opened. */
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
    openTimeout: resolveMilliseconds("openTimeout", options.openTimeout, 30_000),
    keepAliveInterval: resolveMilliseconds("keepAliveInterval", options.keepAliveInterval, 30_000, 1),
    maxMessageBytes: resolveLimit("maxMessageBytes", options.maxMessageBytes, 64 * 1024 * 1024),
    maxQueuedBytes: resolveLimit("maxQueuedBytes", options.maxQueuedBytes, 256 * 1024 * 1024),
  };
}
