import type { Fetch } from "./fetch-port.ts";
import type { GivenHeaders } from "./given-headers.ts";

/** How to reach a server over HTTP. */
export interface HttpTransportOptions {
  /** Headers of every request, such as credentials: fixed, or a function that is called before each request. */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** A `fetch` of your own. */
  readonly fetch?: Fetch | undefined;
  /** The largest answer, or event of a stream, to accept, in bytes. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many milliseconds to wait until the server acknowledges a notification. Default 60 000. */
  readonly timeout?: number | undefined;
}
