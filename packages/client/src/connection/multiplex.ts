import { TransportError, type Channel, type ExchangeTransport, type NotificationMessage } from "@toolwire/protocol";
import { Multiplexer } from "@toolwire/protocol/internal";

/** How many requests of one server may be in the works at once; whoever asks more than that is not asking a user. */
export const MAX_SERVER_REQUESTS = 256;

/** Makes exchanges of a channel: responses are matched to requests by id. */
export function multiplex(channel: Channel): ExchangeTransport {
  return new ClientMultiplexer(channel, { maxInFlight: MAX_SERVER_REQUESTS });
}

class ClientMultiplexer extends Multiplexer {
  #death: Error | undefined;

  override closed(reason?: Error): void {
    this.#death = reason ?? new TransportError("CLOSED", "The connection was closed.");
    super.closed(reason);
  }

  /** A channel that ends lets go of whoever waits for room in it, whether or not anybody has read what they sent. */
  override notify(message: NotificationMessage): void | Promise<void> {
    const room = super.notify(message) as Promise<void> | undefined;
    return room?.then(() => {
      if (this.#death !== undefined) throw this.#death;
    });
  }
}
