import type { Channel } from "@toolwire/protocol";
import { createSsePairChannel } from "../http/legacy/sse-pair.ts";
import type { HttpTransportOptions } from "../http/options.ts";
import { decodeUtf8 } from "../stdio/utf8.ts";
import { createUndiciPort } from "./undici-port.ts";

/**
 * The HTTP+SSE pair as Node opens it: its `fetch` would end a stream that has been quiet for five minutes, and every
 * call with it.
 */
export function createNodeSsePairChannel(url: URL, options: HttpTransportOptions): Channel {
  return createSsePairChannel(url, options, { port: createUndiciPort(), decode: decodeUtf8 });
}
