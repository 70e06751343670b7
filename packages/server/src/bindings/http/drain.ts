import { expectMilliseconds, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import type { HttpEndpoint } from "./endpoint.ts";

/** How to drain an HTTP endpoint. */
export interface DrainOptions {
  /**
   * How many milliseconds load balancers may take to notice that it is not ready any more. Until then it serves all requests, and asks
   * clients to close their connections. `close()` ends the wait. Default 5000.
   */
  readonly wait?: number | undefined;
}

const DRAIN_OPTIONS: OptionNames<DrainOptions> = { wait: true };

/** Makes the function `drain` of an endpoint that is closed by `close`. */
export function createDrain(
  endpoint: HttpEndpoint,
  close: () => Promise<void>,
): (options?: DrainOptions) => Promise<void> {
  return async (options = {}) => {
    const { wait } = expectOptions("drain", options, DRAIN_OPTIONS);
    await endpoint.drain(expectMilliseconds("wait", wait, 5000));
    await close();
  };
}
