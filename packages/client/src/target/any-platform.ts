import { complain } from "../guard-rails.ts";
import { areHeaders, readHeaders, type HeadersNow } from "../http/given-headers.ts";
import type { HttpTransportOptions } from "../http/options.ts";
import type { Openers } from "./endpoint.ts";

/** The transports that are the same on every platform, each loaded when it is first needed. */
export const anyPlatform: Pick<Openers, "ssePair" | "webSocket"> = {
  async ssePair(url, options) {
    const { createSsePairChannel } = await import("../parts/legacy.ts");
    return createSsePairChannel(url, options);
  },
  async webSocket(url, { headers, maxMessageBytes }) {
    const { createWebSocketChannel } = await import("../websocket/create-channel.ts");
    return createWebSocketChannel(url, { headers: await headersNow(headers), maxMessageBytes });
  },
};

/** The header fields of this moment, for transports that only ask once. */
async function headersNow(headers: HttpTransportOptions["headers"]): Promise<HeadersNow> {
  const now = typeof headers === "function" ? await headers() : headers;
  return areHeaders(now) ? readHeaders(now ?? {}) : complain("headers", now);
}
