// port-channel.ts
import { encodeMessage, TransportError, type Channel, type ChannelReceiver } from "../../src/index.ts";
import { deliverText, type Side } from "../../src/channels/index.ts";

/** The members that the ports of browsers and of `node:worker_threads` have in common. */
export interface Port {
  postMessage(text: string): void;
  start(): void;
  close(): void;
}

/** Messages over a `MessagePort`, as between a page or a program and its worker. */
export function createPortChannel(port: Port, side: Side): Channel {
  let receiver: ChannelReceiver | undefined;
  let isClosed = false;
  function end(): void {
    if (isClosed) return;
    isClosed = true;
    port.close();
    receiver?.closed();
  }
  return {
    open(given) {
      receiver = given;
      // Both kinds are event targets. The types of Node 20 do not say so.
      const events = port as Port & EventTarget;
      events.addEventListener("close", end);
      events.addEventListener("message", (event: Event & { readonly data?: unknown }) => {
        if (!isClosed) deliverText(String(event.data), given, side);
      });
      port.start();
    },
    send(message) {
      if (isClosed) throw new TransportError("CLOSED", "The port is closed; nothing more can be sent.");
      port.postMessage(encodeMessage(message));
    },
    async close() {
      end();
    },
  };
}
