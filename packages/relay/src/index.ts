/**
 * Serves what other servers offer, over any transport and to callers of any era.
 *
 * @packageDocumentation
 */
export {
  createRelay,
  type Relay,
  type RelayedUpstream,
  type RelayedView,
  type RelayOptions,
  type RelayParts,
} from "./relay.ts";
export type { OfferTarget } from "./offers/offer-table.ts";
export type { RelayedTool, ToolListing } from "./offers/tools.ts";
export type { UpstreamStatus } from "./serving/status.ts";
export type { Clear } from "./text/clear.ts";
export type { LoginByCaller, RelayEvent, UpstreamLogin, UpstreamOptions, ViewOptions } from "./upstream/options.ts";
