import type { Channel, ChannelReceiver, Outgoing } from "../../src/index.ts";

/** A channel whose other end is the test itself. */
export interface ScriptedChannel {
  readonly channel: Channel;
  readonly sent: Outgoing[];
  receiver(): ChannelReceiver;
}

/** `encode` sees each message before it counts as sent, and may refuse it. */
export function scriptChannel(encode: (message: Outgoing) => void = () => {}): ScriptedChannel {
  const sent: Outgoing[] = [];
  let receiver: ChannelReceiver | undefined;
  const channel: Channel = {
    open(given) {
      receiver = given;
    },
    send(message) {
      encode(message);
      sent.push(message);
    },
    async close() {
      receiver?.closed();
    },
  };
  return { channel, sent, receiver: () => receiver! };
}
