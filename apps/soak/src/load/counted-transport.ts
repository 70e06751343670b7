import type { Channel, ExchangeTransport, Outgoing } from "@toolwire/client";

/** A listener to the events of a transport. */
export interface TransportListener {
  /** The transport is open. */
  opened(): void;
  /** A call was handed to the transport. */
  sent(call: string): void;
}

/** A channel that tells when it is open and which calls go through it. */
export function countChannel(channel: Channel, listener: TransportListener): Channel {
  return {
    async open(receiver) {
      await channel.open(receiver);
      listener.opened();
    },
    send(message) {
      // If it throws, nothing was sent.
      const sending = channel.send(message);
      tell(message, listener);
      return sending;
    },
    close: () => channel.close(),
  };
}

/** The same for HTTP. */
export function countExchanges(transport: ExchangeTransport, listener: TransportListener): ExchangeTransport {
  return {
    hasHeaders: transport.hasHeaders,
    async open(handlers) {
      await transport.open(handlers);
      listener.opened();
    },
    exchange(request, sink, hints) {
      tell(request, listener);
      return transport.exchange(request, sink, hints);
    },
    notify: (message) => transport.notify(message),
    close: () => transport.close(),
  };
}

function tell(message: Outgoing, listener: TransportListener): void {
  if (!("method" in message) || message.method !== "tools/call") return;
  const { arguments: args } = message.params as { readonly arguments: { readonly call: string } };
  listener.sent(args.call);
}
