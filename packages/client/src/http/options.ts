import type { Fetch } from "./fetch-port.ts";
import type { GivenHeaders } from "./given-headers.ts";

/** How to reach a server over HTTP. */
export interface HttpTransportOptions {
  /** Header fields for every request, credentials among them: fixed, or asked for anew each time. */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** A `fetch` of your own. */
  readonly fetch?: Fetch | undefined;
  /** The largest answer, or event of a stream, that is accepted. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Milliseconds until a notification is given up that the server does not acknowledge. Default 60 000. */
  readonly timeout?: number | undefined;
}
