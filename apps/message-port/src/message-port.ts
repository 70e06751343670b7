/**
 * MCP over a `MessagePort`: between a page and its worker, two windows, or a program and a thread of Node.
 *
 * @packageDocumentation
 */
import { encodeMessage, TransportError, type Channel, type ChannelReceiver } from "@toolwire/protocol";
import { deliverText, type Side } from "@toolwire/protocol/channels";
import type { Server } from "@toolwire/server";
import { serveChannel, type ServedChannel } from "@toolwire/server/channel";

/** The members that the ports of browsers and of `node:worker_threads` have in common. */
export interface Port {
  postMessage(frame: string | null): void;
  start(): void;
  close(): void;
}

/** The last frame of a connection. Not every browser tells a port that its peer was closed. */
const FAREWELL = null;

/** Makes the channel of one port. Each message is a text. A port has no backpressure: it never asks a sender to wait. */
export function createPortChannel(port: Port, side: Side): Channel {
  let receiver: ChannelReceiver | undefined;
  let isClosed = false;

  function read(data: unknown, reader: ChannelReceiver): void {
    if (isClosed) return;
    if (data === FAREWELL) end();
    // A frame that is not text is reported as malformed, as an empty one is.
    else deliverText(typeof data === "string" ? data : "", reader, side);
  }

  function end(reason?: Error): void {
    if (isClosed) return;
    isClosed = true;
    port.close();
    receiver?.closed(reason);
  }

  return {
    open(given) {
      receiver = given;
      // Both kinds of ports are event targets. The types of Node 20 do not say so.
      const events = port as Port & EventTarget;
      events.addEventListener("message", (event: Event & { readonly data?: unknown }) => read(event.data, given));
      // The thread or page at the other end is gone, and has sent no farewell.
      events.addEventListener("close", () => {
        end(new TransportError("CONNECTION_LOST", "The peer closed its port, or its thread has ended."));
      });
      port.start();
    },
    send(message) {
      if (isClosed) throw new TransportError("CLOSED", "The port is closed; nothing more can be sent.");
      port.postMessage(encodeMessage(message));
    },
    async close() {
      if (isClosed) return;
      port.postMessage(FAREWELL);
      end();
    },
  };
}

/** Serves a server at one port. */
export function servePort(server: Server, port: Port): ServedChannel {
  return serveChannel(server, createPortChannel(port, "server"), { binding: "message-port" });
}
