import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Recording } from "./recording.ts";

/** A port in front of another one, which notes every byte that passes. */
export interface PortTap {
  /** The port, or 0 if the tap listens at a path. */
  readonly port: number;
  /** The bytes that have passed so far, one recording a connection. */
  readonly recordings: () => Recording[];
  close(): Promise<void>;
}

/**
 * Listens on a free loopback port, or at the path of a socket, and passes every connection on to the target, byte by byte:
 * neither side can tell. With a path, a client keeps the URL of the target, and only its connections go elsewhere.
 */
export async function tapPort(
  target: { readonly host?: string; readonly port: number },
  socketPath?: string,
): Promise<PortTap> {
  const connections: { toServer: Buffer[]; toClient: Buffer[] }[] = [];
  const sockets = new Set<Socket>();

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({
      host: target.host ?? "127.0.0.1",
      port: target.port,
      allowHalfOpen: true,
      noDelay: true,
    });
    const connection = { toServer: [] as Buffer[], toClient: [] as Buffer[] };
    connections.push(connection);
    client.on("data", (chunk) => connection.toServer.push(chunk));
    upstream.on("data", (chunk) => connection.toClient.push(chunk));
    client.pipe(upstream);
    upstream.pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // A reset on one side is passed on by the `close` that follows.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        if (!other.writableEnded) other.destroy();
      });
    }
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (socketPath === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(socketPath, resolve);
  });

  return {
    port: socketPath === undefined ? (server.address() as AddressInfo).port : 0,
    recordings: () =>
      connections.map(({ toServer, toClient }) => ({
        toServer: Buffer.concat(toServer),
        toClient: Buffer.concat(toClient),
      })),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
