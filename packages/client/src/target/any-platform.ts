import type { HeadersNow, HttpTransportOptions } from "../http/transport.ts";
import type { Openers } from "./endpoint.ts";

/** The transports that every platform has, each loaded when it is first needed. */
export const anyPlatform: Omit<Openers, "command"> = {
  async http(url, options) {
    const { createHttpTransport } = await import("../http/transport.ts");
    return createHttpTransport(url, options);
  },
  async ssePair(url, options) {
    const { createSsePairChannel } = await import("../http/legacy/sse-pair.ts");
    return createSsePairChannel(url, options);
  },
  async webSocket(url, { headers, maxMessageBytes }) {
    const { createWebSocketChannel } = await import("../websocket/create-channel.ts");
    return createWebSocketChannel(url, { headers: await headersNow(headers), maxMessageBytes });
  },
};

/** The header fields of this moment, for transports that only ask once. */
async function headersNow(headers: HttpTransportOptions["headers"]): Promise<HeadersNow | undefined> {
  return typeof headers === "function" ? headers() : headers;
}
