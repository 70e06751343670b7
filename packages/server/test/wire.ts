/**
 * A pipe over a real loopback socket, framed as on stdio: one message a line. The spec asks custom transports over byte
 * streams to use that framing, so what holds on this wire holds on theirs.
 */
import type { Channel } from "@toolwire/protocol";
import { createLineChannel } from "@toolwire/protocol/channels";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll } from "vitest";

/** The two ends of a connection. */
export interface Wire {
  /** The client's end. Can be written to at once. */
  readonly client: Socket;
  /** The server's end; it opens as soon as the connection stands. */
  readonly server: Channel;
}

const sockets = new Set<Socket>();
/** Connections by the port they come from: whichever side hears of one first waits here for the other. */
const accepted = new Map<number, (socket: Socket) => void>();
const early = new Map<number, Socket>();

const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  sockets.add(socket);
  const port = socket.remotePort ?? 0;
  const take = accepted.get(port);
  accepted.delete(port);
  if (take === undefined) early.set(port, socket);
  else take(socket);
});
await once(listener.listen(0, "127.0.0.1"), "listening");
const { port } = listener.address() as AddressInfo;

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  listener.close();
});

/** Connects a client to whoever serves the other end. */
export function openWire(): Wire {
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  sockets.add(client);
  const arriving = arrival(client);
  let channel: Channel | undefined;
  const server: Channel = {
    async open(receiver) {
      const socket = await arriving;
      channel = createLineChannel(socket, socket, { side: "server" });
      await channel.open(receiver);
    },
    send: (message) => channel?.send(message),
    close: async () => {
      await arriving;
      await channel?.close();
    },
  };
  return { client, server };
}

async function arrival(client: Socket): Promise<Socket> {
  await once(client, "connect");
  const from = client.localPort ?? 0;
  const waiting = early.get(from);
  early.delete(from);
  return waiting ?? new Promise((resolve) => accepted.set(from, resolve));
}
