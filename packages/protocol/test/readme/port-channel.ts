import { encodeMessage, MalformedMessage, parseMessage, TransportError } from "../../src/index.ts";
import type { Channel, ChannelReceiver } from "../../src/index.ts";

/** Messages over a `MessagePort`, as between a page and its worker. */
export function createPortChannel(port: MessagePort): Channel {
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
      port.addEventListener("close", end);
      port.addEventListener("message", ({ data }) => {
        try {
          given.message(parseMessage(String(data)));
        } catch (error) {
          if (error instanceof MalformedMessage) given.malformed(error);
        }
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
