import type { Channel, ExchangeTransport } from "@toolwire/protocol";
import { Multiplexer } from "@toolwire/protocol/engine";

/** How many requests of one server may be in the works at once; whoever asks more than that is not asking a user. */
const MAX_SERVER_REQUESTS = 256;

/** Makes exchanges of a channel: responses are matched to requests by id. */
export function multiplex(channel: Channel): ExchangeTransport {
  return new Multiplexer(channel, { maxInFlight: MAX_SERVER_REQUESTS });
}
