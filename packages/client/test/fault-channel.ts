import {
  MalformedMessage,
  TransportError,
  type Channel,
  type ChannelReceiver,
  type Message,
  type Outgoing,
} from "@toolwire/protocol";

/** The faults that may happen to a message on its way. */
export type Fault = "pass" | "drop" | "delay" | "duplicate" | "reorder" | "truncate" | "garble" | "break";

/**
 * A channel that mistreats what goes through it, both ways, as the faults say, one after another. What is truncated or
 * garbled arrives as something that is no message, or as another message than was sent.
 */
export function faultyChannel(inner: Channel, faults: () => Fault): Channel {
  let receiver: ChannelReceiver | undefined;
  let isOver = false;
  const held: (() => void)[] = [];

  function release(): void {
    for (const deliver of held.splice(0)) deliver();
  }

  function mistreat(message: Message, deliver: (message: Message) => void): void {
    const fault = faults();
    if (fault === "drop") return;
    switch (fault) {
      case "pass":
        deliver(message);
        release();
        return;
      case "delay":
        setImmediate(() => deliver(message));
        return;
      case "duplicate":
        deliver(message);
        deliver(message);
        return;
      case "reorder":
        held.push(() => deliver(message));
        setImmediate(release);
        return;
      case "truncate":
        receiver?.malformed(new MalformedMessage(-32700, "This is not JSON: cut off", { mayAnswer: false }));
        return;
      case "garble":
        deliver(garbled(message));
        return;
      case "break":
        end(new TransportError("CONNECTION_LOST", "The wire broke."));
    }
  }

  function end(reason: Error | undefined): void {
    if (isOver) return;
    isOver = true;
    receiver?.closed(reason);
    void inner.close();
  }

  return {
    open(own) {
      receiver = own;
      return inner.open({
        message: (message) => {
          if (!isOver) mistreat(message, (item) => !isOver && own.message(item));
        },
        batch: (items) => own.batch(items),
        malformed: (error) => own.malformed(error),
        closed: end,
      });
    },
    send(message: Outgoing) {
      if (isOver) throw new TransportError("CLOSED", "The wire is broken.");
      mistreat(message as Message, (item) => {
        if (isOver) return;
        try {
          void inner.send(item);
        } catch {
          // The far end has left.
        }
      });
    },
    async close() {
      end(undefined);
    },
  };
}

/** The same message with another id, or with a body that makes no sense. */
function garbled(message: Message): Message {
  if ("result" in message) return { jsonrpc: "2.0", id: `garbled ${message.id}`, result: {} };
  if ("method" in message && "id" in message) return { ...message, method: `garbled/${message.method}` };
  return message;
}
